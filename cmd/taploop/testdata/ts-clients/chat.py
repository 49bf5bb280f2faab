"""A whole task with a question, through the official openai client, not streamed.

Usage: chat.py BASE_URL TOKEN, with GOAL and ANSWER in the environment.
"""

import json
import os
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0)
messages = []


def turn(words):
    messages.append({"role": "user", "content": words})
    completion = client.chat.completions.create(model="taploop", messages=messages)
    said = completion.choices[0].message
    messages.append({"role": "assistant", "content": said.content})
    assert completion.agent_info["run_id"] and completion.usage.total_tokens >= 0, completion
    return said


asked = turn(os.environ["GOAL"])
frame = json.loads(asked.chatos_additional_data["mcp_progress_notification_data"])
assert frame["params"]["meta"]["type"] == "INQUIRY", frame
assert frame["params"]["meta"]["question"] in asked.content, asked.content
done = turn(os.environ["ANSWER"])
assert "in your size" in done.content, done.content
try:
    openai.OpenAI(base_url=sys.argv[1], api_key="wrong", max_retries=0).models.list()
except openai.AuthenticationError as refused:
    assert refused.code == "UNAUTHORIZED", refused
else:
    raise AssertionError("a wrong key got in")
print("openai (PyPI): ok")
