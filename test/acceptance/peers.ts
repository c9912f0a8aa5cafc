/**
 * Bug reports about other reviewers that concern posting and webhooks, with the tests that prevent each here. Ids are
 * those of the study of peers, with the part as a prefix.
 */
import { LOOP_PEERS } from './loop-rows.ts';
import { by, type Proof, proved } from './named-test.ts';

const FORGE = 'test/shared/forge';
const ANCHOR = 'test/shared/diff/position/anchor.test.ts';
const PARSE = 'test/shared/diff/parse/parse.test.ts';
const NASTY = 'test/integration/nasty.test.ts';
const ROUNDS = 'test/integration/story-rounds.test.ts';
const TRIGGERS = 'test/integration/story-triggers.test.ts';
const ONCE = 'test/integration/poster-once.test.ts';
const APP = 'test/services/ingress/app.test.ts';
const ON_REDIS = 'test/services/ingress/start.test.ts';
const WRITE = 'test/services/poster/write.test.ts';
const HISTORY = 'test/shared/rounds/model/history.test.ts';
const DECIDE = 'test/shared/rounds/decide/decide.test.ts';
const HOOKS = 'test/shared/webhooks';
const SANITIZE = 'test/shared/text/sanitize.test.ts';
const ROWS = 'test/acceptance/forge-rows.test.ts';
const HERE = 'test/acceptance/peers.test.ts';

const CONTEXT_LINE = [
  by(ANCHOR, 'an unchanged line by both', 'a context line before', 'a context line behind, by its new number'),
  by(FORGE, 'names the commits of the version, both lines of a context line and one of any other'),
  by(WRITE, 'keeps the others when one place is refused $how'),
];

const ANCHORING: Readonly<Record<string, Proof>> = {
  'C-A A1': proved(...CONTEXT_LINE),
  'C-A A2': proved(by(ANCHOR, 'gives both names of a renamed file'), by(NASTY, 'that renames a file and edits it')),
  'C-A A3': proved(by(ANCHOR, 'the first line of a new file'), by(PARSE, 'names an added and a deleted file')),
  'C-A A4': proved(
    by(NASTY, 'whose second version is rebased over edits above the finding'),
    by(FORGE, 'names the commits of the version', 'of an older head lands on that one'),
  ),
  'C-A A6': proved(by(FORGE, 'publishes a comment on several lines within those lines'), by(ANCHOR, 'a range')),
  'C-A A9': proved(
    by(ANCHOR, 'hangs a range on its last line and gives line codes with the running counters'),
    by(FORGE, 'tries the last line when a range is refused'),
  ),
  'C-A A10': proved(
    by(FORGE, 'publishes the summary and every inline comment at its place'),
    by(FORGE, 'publishes nothing at all when a position is refused'),
  ),
  'C-A A11': proved(by(NASTY, 'in a file with CRLF'), by(PARSE, 'keeps the CR of CRLF in the text')),
  'C-A A12': proved(
    by(WRITE, 'is one review, then the summary'),
    by(ONCE, 'P10:'),
    by(FORGE, 'publishes the summary and every inline comment at its place'),
  ),
  'C-A A14': proved(
    by(ROUNDS, 'is reviewed once per head, whatever comes again'),
    by('test/shared/rounds/gate/gate.test.ts', 'X7: recognises a reworded claim on the moved line'),
  ),
  'C-A A15': proved(...CONTEXT_LINE),
};

const POSTING: Readonly<Record<string, Proof>> = {
  'C-B B1': proved(
    by(FORGE, 'refuses a draft that would vanish when it is published, and leaves no draft behind'),
    by(FORGE, 'clears away what a broken attempt left of the same comments'),
  ),
  'C-B B2': proved(by(ROWS, 'a write that is done and answered 500'), by(ONCE, 'P12: when ${write} ${trouble}')),
  'C-B B4': proved(
    by(HISTORY, 'of kind %s leave nothing to do once they are true'),
    by(ROUNDS, 'is reviewed once per head, whatever comes again'),
  ),
  'C-B B5': proved(by(HERE, 'B5:')),
  'C-B B6': proved(by(FORGE, 'of several comments is published in one go'), by(WRITE, 'is one review, then')),
  'C-B B7': proved(
    by(FORGE, 'stops a paced review with the delay it names, and the next attempt adds what is missing'),
  ),
  'C-B B9': proved(by(HISTORY, 'P8:'), by(NASTY, 'whose finding stands on a line that it left alone')),
  'C-B B10': proved(by(ONCE, 'P11:'), by(FORGE, 'edits in place', 'finds its own among many')),
  'C-B B12': proved(by(ONCE, 'P12:'), by(FORGE, 'has an unknown outcome when the connection breaks')),
  'C-B B13': proved(by(FORGE, 'knows itself by the number of its account')),
};

const GITLAB_HOOKS: Readonly<Record<string, Proof>> = {
  'C-C W1': proved(by(HOOKS, 'a push and more', 'draft to ready'), by(HERE, 'W1, G9:')),
  'C-C W2': proved(by(HERE, 'W2:'), by(DECIDE, 'a head that is being reviewed causes nothing')),
  'C-C W4': proved(
    by(APP, 'that %s means 503 in less than half a second'),
    by(ON_REDIS, 'answers 503 in less than half a second when Redis hangs'),
  ),
  'C-C W5': proved(
    by(APP, 'is answered 200 with the reason, and makes no job: %s'),
    by('test/services/ingress/recorded.test.ts', 'is answered 202 when it means something, otherwise 200'),
  ),
  'C-C W7': proved(by(FORGE, 'is found there, project, comments and git alike')),
  'C-C W8': proved(by(HERE, 'W8:')),
  'C-C W9': proved(
    by(FORGE, 'is read with the configured authority', 'goes to the configured address, with the token in one header'),
  ),
  'C-C W10': proved(by(FORGE, 'from a fork says so, and so does one whose fork is gone')),
  'C-C W12': proved(by(ROWS, 'P7:', 'Q12: a refused account')),
  'C-C W14': proved(by(FORGE, 'answers in a thread that a human opened')),
  'C-C W15': proved(by(ROWS, 'Q12: a refused account'), by(DECIDE, 'posted, ends')),
};

const FORGEJO: Readonly<Record<string, Proof>> = {
  'C-E G1': proved(by(FORGE, 'sends one review, as a comment, on the reviewed head, even when the head has moved')),
  'C-E G2': proved(by(ANCHOR, 'an added line', 'a line of the second hunk'), by(HERE, 'G2:')),
  'C-E G3': proved(by(FORGE, "knows a human's answer as part of the thread", 'answers in the thread, on either side')),
  'C-E G4': proved(by(HOOKS, 'pull_request_review_comment'), by(APP, 'a payload without the needed fields')),
  'C-E G5': proved(
    by('test/acceptance/who-may-trigger.test.ts', 'G5: is found by the sweep', 'G5, T5: is heard as any other'),
    by('test/integration/story-triggers.test.ts', 'G5:'),
  ),
  'C-E G6': proved(
    by(HOOKS, 'takes the headers of Forgejo before those of Gitea, and Gitea alone'),
    by(APP, 'is understood in the dialect of its forge only'),
  ),
  'C-E G8': proved(by(FORGE, 'has the abilities that the installation has, and no others')),
  'C-E G9': proved(by(HERE, 'W1, G9:')),
  'C-E G10': proved(by(ON_REDIS, 'stores nothing more for a replay under a new delivery id')),
  'C-E G11': proved(by(ONCE, 'P13:')),
  'C-E G13': proved(
    by(FORGE, 'publishes the summary and every inline comment at its place'),
    by(ANCHOR, 'the line before a hunk', 'the line behind a hunk'),
  ),
  'C-E G14': proved(
    by('test/shared/workspace/git/revisions.test.ts', 'tells text, binary, too large, link and missing apart'),
    by('test/shared/workspace/git/revisions.test.ts', 'shows a binary as a marker with both ids'),
  ),
  'C-E G15': proved(
    by('test/integration/repository-settings.test.ts', 'C1, C6, G15: the settings of the default branch filter'),
    by('test/services/reviewer/runners/agent.test.ts', 'C1, G15: is told language and instructions of the settings'),
  ),
  'C-E G17': proved(by(FORGE, 'tells git an address below the configured one, from which the head can be fetched')),
  'C-E G18': proved(
    by(ROUNDS, 'is reviewed once per head, whatever comes again'),
    by(FORGE, 'deletes, and deleting what is gone is no failure'),
  ),
  'C-E G20': proved(by(FORGE, 'tells the account of its token')),
  'C-E G21': proved(by(HERE, 'G21:'), by(FORGE, 'publishes the summary and every inline comment at its place')),
  'C-E G22': proved(
    by(TRIGGERS, 'is not reviewed as a draft, and is as soon as it is ready'),
    by(HOOKS, 'a prefix that is gone'),
  ),
  'C-E G23': proved(by(PARSE, 'takes content that looks like headers as content')),
  'C-E G25': proved(by(ROWS, 'P3:')),
};

const OWN_WORDS = 'test/shared/rounds/commands/strip-quoted-text.test.ts';

const COMMANDS: Readonly<Record<string, Proof>> = {
  'C-I T1': proved(by(ROUNDS, 'is not touched by the events that the bot itself causes')),
  'C-I T3': proved(
    by('test/shared/rounds/commands/mention.test.ts', '```\\n@bot review\\n```', '> @bot review'),
    by(
      OWN_WORDS,
      'a fence in a list item',
      'a comment of several lines',
      'a fence that a line with a language does not',
    ),
    by(
      OWN_WORDS,
      'a span of several lines',
      'preformatted HTML',
      'the line that goes on with a quote',
      'is not heard:',
    ),
  ),
  'C-I T4': proved(by(HOOKS, 'draft to ready'), by(TRIGGERS, 'is not reviewed as a draft, and is as soon as it is')),
  'C-I T5': proved(by('test/acceptance/who-may-trigger.test.ts', 'T5:')),
};

const SECURITY: Readonly<Record<string, Proof>> = {
  'C-J S1': proved(by(SANITIZE, 'P2: no quick action survives in any disguise', 'after a carriage return')),
  'C-J S2': proved(by(SANITIZE, 'P5: no mention', 'breaks the entity in %s')),
  'C-J S4': proved(
    by('test/shared/rounds/truth-table.test.ts', 'has one road to lgtm among'),
    by(
      'test/services/reviewer/packet/packet.test.ts',
      'takes attributes from the base: the change cannot take itself out',
    ),
  ),
  'C-J S5': proved(by('test/acceptance/who-may-trigger.test.ts', 'S5:')),
  'C-J S7': proved(
    by('test/shared/workspace/tree/tree.test.ts', 'says of %j that it is outside', 'follows no link out of the root'),
  ),
  'C-J S8': proved(
    by(DECIDE, 'takes no command from somebody who may not give it'),
    by(ROUNDS, 'P9: is not impressed by markers that a user copies'),
  ),
};

export const PEERS: Readonly<Record<string, Proof>> = {
  ...ANCHORING,
  ...POSTING,
  ...GITLAB_HOOKS,
  ...FORGEJO,
  ...COMMANDS,
  ...SECURITY,
  ...LOOP_PEERS,
};
