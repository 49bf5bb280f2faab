"""A whole task with all that people say in forms, through the official Python client of MCP: see forms.mjs.

Usage: forms.py legacy|auto URL, with GOAL and ANSWER in the environment. legacy is the protocol of 2025-11-25.
"""

import asyncio
import os
import re
import sys

from mcp import Client
from mcp_types import ElicitResult

user = [
    ("something to be done on the phone", {"outcome": "It is done", "remark": "it was only a look"}),
    ("[Ss]ize", {}),  # nothing was filled in
    ("^That answer does not fit: the answer is empty", {"answer": os.environ["ANSWER"]}),
    ('under the finger: "Add to cart"', {"decision": "approve"}),
]


async def answer(_, form):
    says, content = user.pop(0)
    assert re.search(says, form.message), form.message
    fields = form.requested_schema["properties"]
    assert all(name in fields for name in content), fields
    return ElicitResult(action="accept", content=content)


async def main(mode, url):
    async with Client(url, mode=mode, elicitation_callback=answer) as client:

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            return result.structured_content

        begun = await call("ask_agent_start_new_task", task=os.environ["GOAL"], reply_mode="elicit", wait_seconds=0)
        await call("ask_agent_stop", session_id=begun["session_id"], mode="takeover")
        st = await call("ask_agent_wait", session_id=begun["session_id"])
        while st["stop_reason"] == "STILL_RUNNING":
            st = await call(st["next"]["tool"], **st["next"]["arguments"])
        assert st["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", st
        assert not user, f"not all forms were shown: {user}"


asyncio.run(main(*sys.argv[1:]))
print(f"ok    Python ({sys.argv[1]}): forms")
