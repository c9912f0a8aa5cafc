/** Mutants that change nothing that a test could notice, each with the reason. At most 5 in 100 of a folder. */
export type Equivalent = {
  /** From the root of the project. */
  readonly file: string;
  /** The line that is changed, without its indentation. */
  readonly code: string;
  /** The piece of the line that is changed: one line has many mutants. */
  readonly original: string;
  /** As Stryker prints it. */
  readonly replacement: string;
  readonly reason: string;
};

const TYPES_ONLY = 'Only the compiler needs the fallback: the value is always there.';
const NOTHING_LEFT = 'The empty default clause does the same: nothing is left to do.';

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'shared/rounds/decide/await-ci.ts',
    code: "policy.gate.ciDeadlineMs + (ci?.kind === 'awaited' ? Math.max(0, ci.untilMs - nowMs) : 0);",
    original: 'ci?.kind',
    replacement: 'ci.kind',
    reason: 'Only the compiler needs it: a run waits only for a CI that was read.',
  },
  {
    file: 'services/guard/announced.ts',
    code: "if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_NOT_FOUND')) return [];",
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'Only statuses with the context of the bot are looked at, and a string has none.',
  },
  {
    file: 'services/guard/authorize-commands.ts',
    code: 'if (threadId === null) return null;',
    original: 'threadId === null',
    replacement: 'false',
    reason: 'It saves time: what follows returns `threadId` or null.',
  },
  {
    file: 'services/guard/build-brief.ts',
    code: "run.kind === 'review' && run.full === true ? undefined : lastComplete(history);",
    original: "run.kind === 'review'",
    replacement: 'true',
    reason: 'Only the compiler needs the check: no other run has the field `full`.',
  },
  {
    file: 'services/guard/handle.ts',
    code: 'if (summary === null || authorId === undefined) return;',
    original: 'summary === null',
    replacement: 'false',
    reason: 'Only the compiler needs the check: without a summary there is no author.',
  },
  {
    file: 'services/guard/handle.ts',
    code: 'if (summary === null || authorId === undefined) return;',
    original: 'authorId === undefined',
    replacement: 'false',
    reason: 'Only the compiler needs the check: a summary is by one of the accounts of the bot.',
  },
  {
    file: 'services/guard/handle.ts',
    code: 'if (state.outbox.length === 0) return state;',
    original: 'state.outbox.length === 0',
    replacement: 'false',
    reason: 'It saves time: without effects nothing is carried out, and the state stays as it is.',
  },
  {
    file: 'services/guard/sweep/sweep-hooks.ts',
    code: 'const unfit = active.flatMap((hook) => (hook.unfit === null ? [] : [hook.unfit]));',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'Only the compiler needs the check: here every active webhook is unfit.',
  },
  {
    file: 'shared/rounds/model/run.ts',
    code: "export const carriedBy = (run: Run): Carried | undefined => (run.kind === 'review' ? run.carried : undefined);",
    original: "run.kind === 'review'",
    replacement: 'true',
    reason: 'Only the compiler needs the check: no other run has the field `carried`.',
  },
  {
    file: 'shared/rounds/plan/difference.ts',
    code: 'for (const { payload, comment } of own) payloads.set(comment, [...(payloads.get(comment) ?? []), payload]);',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'The key that every comment has then is known after the first one, which is no duplicate.',
  },
  {
    file: 'services/poster/claim-run.ts',
    code: 'if (announcement === null || url === null || (plan.status === null && !isQuiet)) return UNCLAIMED;',
    original: 'announcement === null',
    replacement: 'false',
    reason: 'Without an announcement there is no URL, which is asked next.',
  },
  {
    file: 'services/poster/publish-identity.ts',
    code: "signal.addEventListener('abort', () => clearInterval(timer), { once: true });",
    original: 'true',
    replacement: 'false',
    reason: 'A signal aborts only once.',
  },
  {
    file: 'services/poster/start.ts',
    code: 'notices: [...(one.notices ?? []), ...(other.notices ?? [])],',
    original: 'one.notices ?? []',
    replacement: 'one.notices && []',
    reason: 'Neither worker of the poster has notices.',
  },
  {
    file: 'services/poster/write.ts',
    code: "if (plan.summary === null) throw new TypeError('the plan has no summary');",
    original: 'plan.summary === null',
    replacement: 'false',
    reason: 'Only the compiler needs the check: both callers ask before.',
  },
  {
    file: 'shared/queue/inbox.ts',
    code: "if (deliveryKey !== null) pipeline.set(deliveryKey, '1', 'EX', REMEMBER_S);",
    original: "'1'",
    replacement: '""',
    reason: 'Only whether the key exists is asked.',
  },
  {
    file: 'shared/queue/worker.ts',
    code: "execute(options, job, token ?? '', AbortSignal.any([stopping.signal, signal ?? stopping.signal])),",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: TYPES_ONLY,
  },
  {
    file: 'shared/queue/worker.ts',
    code: "const jobKeyOf = (name: QueueName, job: Job): string => `${name}.${job.id ?? ''}`;",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: TYPES_ONLY,
  },
  {
    file: 'shared/queue/worker.ts',
    code: 'if (job === undefined || !isFinal(job, error)) return;',
    original: 'job === undefined',
    replacement: 'false',
    reason: 'The library tells of no failure without its job below `MAX_STALLS`.',
  },
  { file: 'shared/queue/worker.ts', code: "case 'done':", original: "'done'", replacement: '""', reason: NOTHING_LEFT },
  { file: 'shared/queue/worker.ts', code: "case 'drop':", original: "'drop'", replacement: '""', reason: NOTHING_LEFT },
  {
    file: 'shared/queue/worker.ts',
    code: 'default:',
    original: 'default:',
    replacement: 'default:',
    reason: '`satisfies` is for the compiler alone.',
  },
  {
    file: 'shared/text/blocks.ts',
    code: "return { indent: indent.length, fence: ticks ?? tildes ?? '', info: (tickInfo ?? tildeInfo ?? '').trim() };",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: TYPES_ONLY,
  },
  {
    file: 'shared/text/code-fence.ts',
    code: "const word = /^[a-z0-9]+(?=\\s|$)/i.exec(info.trim())?.[0].toLowerCase() ?? '';",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'No language has this name either.',
  },
  {
    file: 'shared/text/blocks.ts',
    code: 'return fence.length >= opener.fence.length && fence.startsWith(opener.fence.charAt(0));',
    original: 'opener.fence.charAt(0)',
    replacement: 'opener.fence',
    reason: 'A fence is one character again and again, and the length is compared before.',
  },
  {
    file: 'shared/text/inert.ts',
    code: 'const rows: boolean[] = [];',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'The value too many is the last one, or that of a blank line or a fence: neither is read.',
  },
  {
    file: 'shared/text/inert.ts',
    code: 'rows.push(false);',
    original: 'false',
    replacement: 'true',
    reason: 'It stays only for a blank line or a fence, and neither may be a row.',
  },
  {
    file: 'shared/text/redact.ts',
    code: 'if (folded.length === 0) return ranges;',
    original: 'folded.length === 0',
    replacement: 'false',
    reason: 'It saves time: without needles the loop behind it finds nothing.',
  },
  {
    file: 'shared/text/sanitize-line.ts',
    code: "kind === 'prose' || !text.replaceAll(/(?<!\\\\)\\\\\\|/g, '').includes('|');",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'Only whether a pipe is left is asked, and there is none in it.',
  },
  {
    file: 'shared/text/sanitize-line.ts',
    code: "let before = '';",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'Nothing is put between an exclamation mark and the piece behind it.',
  },
  {
    file: 'shared/text/secret-forms.ts',
    code: 'JSON.stringify(secret).slice(1, -1),',
    original: 'JSON.stringify(secret).slice(1, -1)',
    replacement: 'JSON.stringify(secret)',
    reason: 'Folding drops the quotation marks.',
  },
  {
    file: 'shared/store/heads.ts',
    code: "await redis.set(keys.ofPlace(place, 'missed'), '1', 'EX', MISSED_S);",
    original: "'1'",
    replacement: '""',
    reason: 'Only whether the key exists is asked.',
  },
  {
    file: 'shared/store/list-known.ts',
    code: "let cursor = '0';",
    original: "'0'",
    replacement: '""',
    reason: 'Redis reads an empty cursor as 0.',
  },
  {
    file: 'shared/store/readings.ts',
    code: 'const parsed = text === null ? null : HandedReading.safeParse(JSON.parse(text));',
    original: 'text === null',
    replacement: 'false',
    reason: '`JSON.parse(null)` is null, which is no reading either.',
  },
  {
    file: 'shared/store/redis.ts',
    code: "signal.addEventListener('abort', onAbort, { once: true });",
    original: 'true',
    replacement: 'false',
    reason: 'A signal aborts only once.',
  },
];
