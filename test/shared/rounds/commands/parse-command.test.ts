import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUserCommand } from '../../../../shared/rounds/commands/parse-command.ts';
import { propertyRuns } from '../../../support/deep.ts';

const review = (instructions = '', full = false) => ({ kind: 'review', full, instructions });
const text = (instructions = '') => ({ kind: 'text', instructions });
const misread = (why: string) => ({ kind: 'misread', why });
const dismiss = (findingId: string, reason: string) => ({ kind: 'dismiss', findingId, reason });
const always = (findingId: string, reason: string) => ({ ...dismiss(findingId, reason), always: true });
const explain = (findingId: string) => ({ kind: 'explain', findingId });

describe('a comment that addresses the bot', () => {
  it.each([
    ['@bot', text()],
    ['  @bot  ', text()],
    ['@bot.', text()],
    ['@bot please look at the locking', text('please look at the locking')],
    ['Dear @bot, is this right?', text('is this right?')],
    ['@bot reviewer', text('reviewer')],
    ['@bot re-review', text('re-review')],
    ['@bot review_all', text('review_all')],
    ['@bot review-all', text('review-all')],
    ['@bot1 review', null],
    ['@bot-ci review', null],
    ['@bot.ci review', null],
    ['@@bot review', null],
    ['me@bot review', null],
    ['review', null],
    ['', null],
    ['@bot review', review()],
    ['@BOT Review', review()],
    ['@bot, review', review()],
    ['@bot: review', review()],
    ['@bot\treview', review()],
    ['please @bot review', review()],
    ['@bot review.', review()],
    ['@bot review: the locking', review('the locking')],
    ['@bot review the locking\nand the tests', review('the locking\nand the tests')],
    ['Hello\n\n@bot review\n\nMind the tests.', review('Mind the tests.')],
    ['@bot review src/', { ...review(), only: 'src/' }],
    ['@bot review ./src/app.ts', { ...review(), only: 'src/app.ts' }],
    ['@bot review README.md  \nMind the links.', { ...review('Mind the links.'), only: 'README.md' }],
    ['@bot review "a folder/b.ts"', { ...review(), only: 'a folder/b.ts' }],
    ['@bot review "docs/a -b.md"', { ...review(), only: 'docs/a -b.md' }],
    ['@bot review "a.b=c/"', { ...review(), only: 'a.b=c/' }],
    ['@bot review --full "docs/a -b.md"', misread('arguments')],
    ['@bot review src/ and lib/', review('src/ and lib/')],
    ['@bot review now.', review('now.')],
    ['@bot review /etc/passwd', review('/etc/passwd')],
    ['@bot review https://example.org/a', review('https://example.org/a')],
    ['@bot review --full src/', review('src/', true)],
    ['@bot review --full', review('', true)],
    ['@bot review --full and the tests', review('and the tests', true)],
    ['@bot review --fuller', misread('arguments')],
    ['@bot review everything --full', misread('arguments')],
    ['@bot review --model x', misread('arguments')],
    ['@bot review --full --model x', misread('arguments')],
    ['@bot review -m x', misread('arguments')],
    ['@bot review --max_rounds 99', misread('arguments')],
    ['@bot review __openai__key=1', misread('arguments')],
    ['@bot review config.model=x', misread('arguments')],
    ['@bot review --model x --base_url http://evil --max_rounds 99 __openai__key=1', misread('arguments')],
    ['@bot review __init__ of the package', review('__init__ of the package')],
    ['@bot review where a = b - c', review('where a = b - c')],
    ['@bot review x=1 in the loop', review('x=1 in the loop')],
    ['@bot review\n- first\n- second', review('first\n- second')],
    ['> @bot pause\n\n@bot review', review()],
    ['> @bot review', null],
    ['`@bot review`', null],
    ['@bot `review --full`', text()],
    ['```\n@bot review\n```', null],
    ['~~~\n@bot pause\n~~~\n@bot resume', { kind: 'resume' }],
    ['    @bot review', null],
    ['@bot review `--model x`', review()],
    ['@bot review\n```\n--model x\n```', review()],
    ['@bot thanks\n@bot pause', { kind: 'pause' }],
    ['@bot pause\n@bot resume', { kind: 'pause' }],
    ['@bot pause', { kind: 'pause' }],
    ['@bot resume!', { kind: 'resume' }],
    ['@bot status', { kind: 'status' }],
    ['@bot why', { kind: 'why' }],
    ['@bot: why?', { kind: 'why' }],
    ['@bot why is this a problem?', text('why is this a problem?')],
    ['@bot statuses', text('statuses')],
    ['@bot help', { kind: 'help' }],
    ['@bot why?', { kind: 'why' }],
    ['@bot help me with this', { kind: 'help' }],
    ['@bot pause --all', misread('arguments')],
    ['@bot fix', { kind: 'fix' }],
    ['@bot fix F-001', { kind: 'fix' }],
    ['please @bot fix', text('fix')],
    ['@bot dismiss F-001 because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss f-1 because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss F-1234: generated code', dismiss('F-1234', 'generated code')],
    ['@bot dismiss F-2\nbecause\nof the deadline', dismiss('F-002', 'because\nof the deadline')],
    ['@bot dismiss F-003 always because it is generated', always('F-003', 'it is generated')],
    ['@bot dismiss F-003 ALWAYS Because it is generated', always('F-003', 'it is generated')],
    ['@bot dismiss F-003, always: generated code', always('F-003', 'generated code')],
    ['@bot dismiss F-003 always\nbecause it is generated', always('F-003', 'because it is generated')],
    ['@bot dismiss F-003 always\ngenerated code', always('F-003', 'generated code')],
    ['@bot dismiss F-003 always - generated code', always('F-003', 'generated code')],
    ['@bot dismiss F-003  always  - generated code', always('F-003', 'generated code')],
    ['@bot review  --full', { kind: 'review', full: true, instructions: '' }],
    ['@bot dismiss F-003 always null by design', dismiss('F-003', 'always null by design')],
    ['@bot dismiss F-003 because always null', dismiss('F-003', 'always null')],
    ['@bot dismiss F-003 always becauseway', dismiss('F-003', 'always becauseway')],
    ['@bot dismiss F-003 always-on code', dismiss('F-003', 'always-on code')],
    ['@bot dismiss F-003 always', misread('no_reason')],
    ['@bot dismiss F-003 always because', misread('no_reason')],
    ['@bot dismiss F-001', misread('no_reason')],
    ['@bot dismiss F-001 because', misread('no_reason')],
    ['@bot dismiss F-001 because ...', misread('no_reason')],
    ['@bot dismiss F-001 because `code`', misread('no_reason')],
    ['@bot dismiss', misread('no_finding')],
    ['@bot dismiss F-0 because', misread('no_finding')],
    ['@bot dismiss F-1x because no', misread('no_finding')],
    ['@bot dismiss all because no', misread('no_finding')],
    ['@bot dismiss F-001, F-002 because both are generated', misread('several')],
    ['@bot dismiss F-001 F-002 because both are generated', misread('several')],
    ['@bot dismiss F-001 and F-002: generated', misread('several')],
    ['@bot dismiss F-001 & f-2', misread('several')],
    ['@bot dismiss F-001 because no\n@bot dismiss F-002 because no', misread('several')],
    ['@bot dismiss F-001 because no\n\n- @bot dismiss F-002 because no', misread('several')],
    ['1. @bot dismiss F-001 because no\n2. @bot dismiss F-002 because no', misread('several')],
    ['- [ ] @bot dismiss F-001 because no\n- [ ] @bot dismiss F-002 because no', misread('several')],
    ['@bot review\n@bot dismiss F-002 because no', misread('several')],
    ['@bot explain F-001, F-002', misread('several')],
    ['@bot dismiss F-001 because of F-002', dismiss('F-001', 'of F-002')],
    ['@bot dismiss F-001 because F-002 says the same', dismiss('F-001', 'F-002 says the same')],
    [
      '@bot dismiss F-001 because no\nwe had @bot dismiss F-002 before',
      dismiss('F-001', 'no\nwe had @bot dismiss F-002 before'),
    ],
    ['@bot dismiss F-001 because no\n@bot review came too late', dismiss('F-001', 'no\n@bot review came too late')],
    ['@bot\u00a0review', review()],
    ['@bot\u3000pause', { kind: 'pause' }],
    ['@bot\u00a0review\u00a0src/', { ...review(), only: 'src/' }],
    ['@bot\u00a0dismiss\u00a0F-001\u00a0because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot review —full', review('', true)],
    ['@bot review –full', review('', true)],
    ['@bot review —fuller', review('fuller')],
    ['@bot review — the locking', review('the locking')],
    ['@bot review “a folder/b.ts”', { ...review(), only: 'a folder/b.ts' }],
    ['@bot review „a folder/b.ts“', { ...review(), only: 'a folder/b.ts' }],
    ['@bot dismiss F\u2011001 because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss F–001 — generated code', dismiss('F-001', 'generated code')],
    ['@bot dismiss F-003 always — generated code', always('F-003', 'generated code')],
    ['@bot dismiss **F-001** because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss `F-001` because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss _F-001_ because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss __f-1__: generated code', dismiss('F-001', 'generated code')],
    ['@bot dismiss "F-001" because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss “F-001” because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss (F-001) because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss [F-001] because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss #F-001 because it is intended', dismiss('F-001', 'it is intended')],
    ['@bot dismiss [F-001](https://forge.example/a#note_7) because no', dismiss('F-001', 'no')],
    ['@bot dismiss [F-001](https://forge.example/@a#note_7) because no', dismiss('F-001', 'no')],
    ['@bot dismiss [`F-001`](#note_7) always because no', always('F-001', 'no')],
    ['@bot dismiss **[F-001](#note_7)**, always: no', always('F-001', 'no')],
    ['@bot dismiss [F-001][1] because no\n\n[1]: /a', dismiss('F-001', 'no')],
    ['@bot **dismiss** F-001 because no', dismiss('F-001', 'no')],
    ['**@bot** dismiss F-001 because no', dismiss('F-001', 'no')],
    ['**@bot dismiss F-001** because no', dismiss('F-001', 'no')],
    ['@bot *review*', review()],
    ['@bot **pause**', { kind: 'pause' }],
    ['@bot dismiss F-001 (F-002 says the same)', dismiss('F-001', '(F-002 says the same)')],
    ['@bot dismiss F-001_x because no', misread('no_finding')],
    ['@bot dismiss `F-001 because no`', misread('no_finding')],
    ['@bot dismiss `F-001`', misread('no_reason')],
    ['@bot dismiss `F-001`, `F-002` because no', misread('several')],
    ['@bot dismiss **F-001** and **F-002** because no', misread('several')],
    ['@bot dismiss [F-001](/a), [F-002](/b) because no', misread('several')],
    ['@bot explain `F-007`', explain('F-007')],
    ['@bot explain F-007', explain('F-007')],
    ['@bot explain F-7, please', explain('F-007')],
    ['@bot explain this', misread('no_finding')],
  ])('%j is understood', (body, expected) => {
    expect(parseUserCommand(body, 'bot')).toEqual(expected);
  });

  it('may have any name that a forge allows', () => {
    expect(parseUserCommand('@a.b+c(d review', 'a.b+c(d')).toEqual(review());
    expect(parseUserCommand('@aXb review', 'a.b')).toBeNull();
  });

  it('is heard up to a length that a run can carry', () => {
    const spoken = parseUserCommand(`@bot review ${'word '.repeat(5_000)}`, 'bot');
    expect(spoken).toMatchObject({ kind: 'review' });
    expect(JSON.stringify(spoken).length).toBeLessThan(2_100);
  });
});

const PIECES = [
  '@bot',
  '@',
  'bot',
  ' ',
  '\n',
  '`',
  '```',
  '~~~',
  '> ',
  '    ',
  'review',
  '--full',
  'dismiss',
  'F-1',
  'İ',
  '=',
  '__',
];
const chatter = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 30 })
  .map((all) => all.join(''));
const COMMANDS = ['review', 'review --full', 'pause', 'dismiss F-1 because x', 'fix', 'status'];

/** One line of a paragraph: its first letter keeps it from being a list, a quote or HTML. */
const prose = fc.string().map((each) => `a${each.replaceAll(/[\r\n`~@<]/g, '')}`);

describe('whatever somebody writes', () => {
  it('is understood or not, without a crash, and never as more than a run can carry', () => {
    fc.assert(
      fc.property(chatter, (body) => {
        const spoken = parseUserCommand(body, 'bot');
        if (spoken !== null && 'instructions' in spoken) expect(spoken.instructions.length).toBeLessThanOrEqual(2_000);
      }),
      propertyRuns(500, 50_000),
    );
  });

  it('is never heard from within a quote or code', () => {
    const hidden = fc.constantFrom<(said: string) => string>(
      (said) => `> ${said}`,
      (said) => `    ${said}`,
      (said) => `\`${said}\``,
      (said) => `\`\`\`\n${said}\n\`\`\``,
      (said) => `~~~~ts\n${said}\n~~~~`,
      (said) => `\`\`\`sh\nx\n\`\`\`sh\n${said}\n\`\`\``,
      (said) => `1. > x\n${said}`,
      (said) => `- ~~~\n  ${said}\n  ~~~`,
      (said) => `\`x\n${said}\nx\``,
      (said) => `<!--\n${said}\n-->`,
      (said) => `x <code>${said}</code>`,
      (said) => `>>>\nx\n\n${said}\n>>>`,
      (said) => `[x](/y "${said}")`,
    );
    fc.assert(
      fc.property(prose, fc.constantFrom(...COMMANDS), hidden, prose, (before, command, hide, after) => {
        expect(parseUserCommand(`${before}\n\n${hide(`@bot ${command}`)}\n\n${after}`, 'bot')).toBeNull();
      }),
      propertyRuns(300, 20_000),
    );
  });

  it('is heard from a plain line, whatever stands around it', () => {
    fc.assert(
      fc.property(prose, prose, (before, after) => {
        expect(parseUserCommand(`${before}\n@bot pause\n${after}`, 'bot')).toEqual({ kind: 'pause' });
      }),
      propertyRuns(300, 20_000),
    );
  });
});
