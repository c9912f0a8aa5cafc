/** Sends findings as one line of JSON; an answer is optional. */
import type { FixTask } from '../change/agent.ts';
import { readCommandAnswer } from './command-answer.ts';
import type { CommandProtocol } from './command-protocol.ts';

export const createJsonProtocol = (): CommandProtocol => ({
  name: 'command',
  tell: (task) => ({ input: `${JSON.stringify(inputOf(task))}\n`, files: {} }),
  read: (stdout, { findings }) => readCommandAnswer(stdout, findings),
});

/** This format is a public contract: fields may be added but never changed. */
const inputOf = ({ changeRequest, review, findings, paths, whyNotNew }: FixTask) => ({
  version: 1,
  change_request: { forge: changeRequest.forge, project_id: changeRequest.projectId, number: changeRequest.number },
  review,
  paths,
  new_files: whyNotNew !== undefined,
  findings: findings.map(({ id, severity, title, text, rule, place }) => ({
    id,
    severity,
    title,
    text,
    rule,
    path: place.path,
    side: place.side,
    start_line: place.startLine,
    line: place.line,
  })),
});
