/** Tested behaviours (S3) and weaknesses (S4) of the local loop's seed, in its order, with our test for each. */
import { by, joinTables, type Proof, proved } from './named-test.ts';

const SLOTS = 'test/services/slots';
const VERDICT = `${SLOTS}/verdict.test.ts`;
const CONTEXT = `${SLOTS}/task/reviewer-context.test.ts`;
const MACHINE = `${SLOTS}/slot-machine.test.ts`;
const LOOP = `${SLOTS}/loop.test.ts`;
const OUTPUT = `${SLOTS}/agent/agent-output.test.ts`;
const SETTINGS = `${SLOTS}/settings/settings.test.ts`;
const PROMPTS = `${SLOTS}/task/prompts.test.ts`;
const VIEWS = `${SLOTS}/views.test.ts`;
const MARKER = `${SLOTS}/settings/stop-marker.test.ts`;
const SAID = `${SLOTS}/stop-marker-said.test.ts`;
const BEADS = `${SLOTS}/task/beads.test.ts`;
const SWING = `${SLOTS}/swing.test.ts`;

const numbered = (prefix: string, proofs: readonly Proof[]): Readonly<Record<string, Proof>> =>
  Object.fromEntries(proofs.map((proof, index) => [`${prefix}.${index + 1}`, proof]));

const VERDICTS = numbered('S3.verdict', [
  // Valid: pass, drift, in surrounding text.
  proved(by(VERDICT, 'alone')),
  proved(by(VERDICT, 'drift')),
  proved(by(VERDICT, 'after prose', 'after an object that is none', 'in a code fence')),
  // Rejected: empty, white space, no JSON, malformed, another verdict, none, null.
  proved(by(VERDICT, 'by nothing')),
  proved(by(VERDICT, 'by white space')),
  proved(by(VERDICT, 'by prose')),
  proved(by(VERDICT, 'by malformed JSON')),
  proved(by(VERDICT, 'by another verdict')),
  proved(by(VERDICT, 'by no verdict')),
  proved(by(VERDICT, 'by null')),
  // Rejected: no follow-up, one that is not text, a list.
  proved(by(VERDICT, 'by no follow-up')),
  proved(by(VERDICT, 'by a follow-up that is no text')),
  proved(by(VERDICT, 'by a list')),
]);

const CONTEXTS = numbered('S3.context', [
  // Metadata of the task, output, text for no output, diff, text for no diff.
  proved(by(CONTEXT, 'holds the task: id, title, status, priority and text')),
  proved(by(CONTEXT, 'holds the output, or says that there is none')),
  proved(by(CONTEXT, 'holds the output, or says that there is none')),
  proved(by(CONTEXT, 'and says when there is none or none could be had')),
  proved(by(CONTEXT, 'and says when there is none or none could be had')),
  // Parallel warning, fix attempt, contract, no priority.
  proved(by(CONTEXT, 'warns of other agents only where there are some'), by(LOOP, 'whether others work beside it')),
  proved(by(CONTEXT, 'tells of the fix attempt only at a re-review')),
  proved(by(CONTEXT, 'ends with the contract')),
  proved(by(CONTEXT, 'leaves out a status and a priority that are not known')),
]);

const AT_ONCE = by(MACHINE, 'fails at once at an answer against the contract, without a fix');

const LOOPS = numbered('S3.loop', [
  // Review off, pass, drift then pass.
  proved(by(LOOP, 'is not reviewed when the review is off'), by(MACHINE, 'when it is disabled')),
  proved(by(LOOP, 'passes at its first review'), by(MACHINE, 'passes at the first review with no fix')),
  proved(by(LOOP, 'is fixed after drift: the fixer is told what the reviewer asked for')),
  // Malformed JSON, a failing reviewer, another verdict, no follow-up.
  proved(AT_ONCE, by(VERDICT, 'by malformed JSON'), by(LOOP, 'fails at once when the reviewer says %s')),
  proved(by(LOOP, 'fails when the reviewer exits with another code, whatever it said')),
  proved(AT_ONCE, by(VERDICT, 'by another verdict')),
  proved(AT_ONCE, by(VERDICT, 'by no follow-up')),
  // Drift after the maximum, a failing fixer, two providers.
  proved(by(LOOP, 'fails when drift remains after all attempts'), by(MACHINE, 'makes at most %d fixes and one review')),
  proved(by(LOOP, 'fails when the fixer exits with another code, without another review')),
  proved(by(`${SLOTS}/messages.test.ts`, 'may be the reviewer alone: the fixer is told its findings in words')),
  // A reviewer that prints the marker, the list of failures, several cycles.
  proved(by(LOOP, 'does not end at a reviewer who quotes the marker')),
  proved(by(LOOP, 'fails as a whole when one slot fails, and the others come to their ends')),
  proved(by(MACHINE, 'passes after several cycles')),
]);

const PROVIDERS = numbered('S3.providers', [
  // Defaults of adapter and command, another provider by name, the same provider.
  proved(by(SETTINGS, 'has its own program and model with another provider', 'of the %s with %j')),
  proved(by(SETTINGS, 'may have another model', 'may be a program of its own', 'leaves the implementer as it is')),
  proved(by(SETTINGS, 'keeps the command of the same provider')),
]);

const PROMPT_ROWS = numbered('S3.prompts', [
  // Order, a missing path, built-in prompts, writing them with skip and force, strict JSON.
  proved(by(PROMPTS, 'of the developer are looked for in four places', 'of the reviewer are looked for in two places')),
  proved(by(PROMPTS, 'that %s names and that are missing are an error at the start')),
  proved(by(PROMPTS, 'are our own where there is nothing else')),
  proved(
    by(PROMPTS, 'leave those alone that are there', 'overwrite those that are there where it is forced'),
    by('test/services/cli/loop/loop.test.ts', 'writes the built-in prompts and ends with 0'),
  ),
  proved(by(PROMPTS, 'demand strict JSON of the reviewer')),
]);

const LIVE = numbered('S3.live', [
  // The run's identity, snapshots, pauses, tabs, event markers.
  proved(by(VIEWS, 'show slot, badge, task and the newest lines')),
  proved(by(VIEWS, 'replaces its snapshot and never changes one')),
  proved(by(SLOTS, 'waits and gives the task again where every agent that failed is asked to come back later')),
  proved(by(VIEWS, "are the reviewer's while he reviews, and those of implementer and fixer again after it")),
  proved(by(VIEWS, 'of lines says each thing once', 'clears the phase of an agent that ends, and counts it')),
]);

const MARKERS = numbered('S3.marker', [
  // Not from tools; from messages, natural language, older and plain output, the last message.
  proved(by(OUTPUT, 'does not take what a tool printed for what the agent said'), by(SAID, 'a tool of claude printed')),
  proved(by(SAID, 'claude said between', 'codex said')),
  proved(by(MARKER, 'in natural language')),
  proved(by(SAID, 'an older codex said', 'a plain program said')),
  proved(by(SAID, 'claude said last, in its result alone')),
]);

const SCOPE = numbered('S3.scope', [
  // Agents get the bounds; the loop ends when nothing is left, but not when there is no list.
  proved(by(BEADS, 'in a scope tells each agent its bounds, and ends when the scope is exhausted')),
  proved(by(BEADS, 'in a scope tells each agent its bounds, and ends when the scope is exhausted')),
  proved(by(BEADS, 'in a scope goes on while there is no list, and tells each agent its bounds')),
]);

const CONFIG = numbered('S3.config', [
  // Precedence, blanks, case, unknown keys.
  proved(by(SETTINGS, 'are taken from flags before the project before the user')),
  proved(by(SETTINGS, 'take blanks for not given')),
  proved(by(SETTINGS, 'know a provider in any case')),
  proved(by(SETTINGS, 'an unknown provider', 'an unknown theme', 'an unknown mode')),
]);

const WEAKNESSES = numbered('S4', [
  // The verdict is extracted from a stream of events.
  proved(by(OUTPUT, 'finds the verdict in every kind of stream'), by(LOOP, 'of %s give their verdicts')),
  // Braces before or after the verdict break the parser.
  proved(
    by(VERDICT, 'after code with braces', 'after an open brace in prose', 'with braces and quotation marks inside'),
  ),
  // An empty follow-up is accepted.
  proved(by(VERDICT, 'by an empty follow-up', 'by a blank follow-up')),
  // Reviewer and fixer have no time limit. A missing verdict fails at once: a decision, see S3.loop.4.
  proved(by(LOOP, 'holds for a %s too'), AT_ONCE),
  // The diff lacks committed and untracked files.
  proved(by(LOOP, 'what was committed, what was not, and what git does not know yet')),
  // Parts are cut silently.
  proved(
    by(LOOP, 'what fits of it, and that it was cut'),
    by(CONTEXT, 'holds for output and for every part of the diff'),
  ),
  // The reviewer may write.
  proved(by(LOOP, 'fails when its reviewer changes files'), by(SETTINGS, '--sandbox read-only', '--deny-tool write')),
  // A fixer's marker is ignored.
  proved(by(LOOP, 'ends at the stop marker of a fixer, after the slot')),
  // Usage of review and fix is not counted.
  proved(by(LOOP, 'and every review and fix counts in the totals')),
  // There is no history, so the loop may alternate between two demands.
  proved(
    by(SWING, 'ends a task whose reviewer swings between two demands'),
    by(MACHINE, 'ends a slot that swings between two demands', 'keeps what every review asked for'),
    by(CONTEXT, 'tells of all demands before the last one', 'cuts what earlier reviews asked for'),
  ),
  // All slots share one tree.
  proved(by(LOOP, 'keeps and reports work that conflicts with what came back before')),
]);

export const LOOP_SEED_ROWS: Readonly<Record<string, Proof>> = joinTables([
  VERDICTS,
  CONTEXTS,
  LOOPS,
  PROVIDERS,
  PROMPT_ROWS,
  LIVE,
  MARKERS,
  SCOPE,
  CONFIG,
  WEAKNESSES,
]);
