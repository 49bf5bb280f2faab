package tools

// catalog is all tools in the order in which a client meets them: a row for each, its handler last.
func catalog(e edge) []tool {
	readOnly := hints{readOnly: true, idempotent: true}
	acting := hints{destructive: true}
	var delegating []tool
	if e.opts.Goals {
		delegating = []tool{row(e.opts, tool{name: goalTool, title: "Delegate a goal",
			hints: acting, answers: aRun, retry: e.retry}, following(e, e.cases.Delegate))}
	}
	if e.opts.SkillTools {
		delegating = append(delegating,
			row(e.opts, tool{name: skillsTool, title: "List skills", hints: readOnly,
				answers: allSkills}, e.skills),
			row(e.opts, tool{name: skillTool, title: "Repeat a skill", hints: acting,
				answers: aRun, retry: e.retry}, following(e, e.cases.RunSkill)))
	}
	return append([]tool{
		row(e.opts, tool{name: phonesTool, title: "List phones", hints: readOnly,
			answers: allPhones}, e.phones),
		row(e.opts, tool{name: startTool, title: "Start a task on a phone", hints: acting,
			answers: aRun, retry: e.retry}, e.start),
		row(e.opts, tool{name: continueTool, title: "Answer, or go on with a session",
			hints: acting, answers: aRun, retry: e.retry}, e.resume),
		row(e.opts, tool{name: waitTool, title: "Wait for a run", hints: hints{idempotent: true},
			answers: aRun, retry: e.retry}, following(e, e.cases.Wait)),
		row(e.opts, tool{name: stopTool, title: "Stop a run",
			hints:   hints{destructive: true, idempotent: true},
			answers: aRun}, following(e, e.cases.Stop)),
		row(e.opts, tool{name: olderTool, title: "Start or continue (older name)", hints: acting,
			answers: aRun, retry: e.retry}, e.either),
		row(e.opts, tool{name: sessionsTool, title: "List sessions", hints: readOnly,
			answers: allSessions}, e.sessions),
		row(e.opts, tool{name: "get_screenshot", title: "Look at a phone", hints: readOnly,
			answers: aPicture}, e.screenshot),
		row(e.opts, tool{name: inquiryTool, title: "Ask a person", hints: hints{},
			answers: anInquiry, retry: e.retryInquiry}, e.inquire),
		row(e.opts, tool{name: pendingTool, title: "List open questions", hints: readOnly,
			answers: allQuestions}, e.pending),
		row(e.opts, tool{name: answerTool, title: "Answer a question",
			hints:   hints{destructive: true, idempotent: true},
			answers: anInquiry}, e.answer),
	}, delegating...)
}
