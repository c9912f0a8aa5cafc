import type { StructuralRule } from '../model/rule.ts';

const RUBY = ['Ruby'] as const;

export const RUBY_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'rb-swallowed-error',
    languages: RUBY,
    severity: 'P2',
    blocking: true,
    title: 'Empty rescue swallows every exception',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle the error, re-raise it, or explain in a comment why it can be ignored.',
    rule: {
      kind: 'rescue',
      regex: '^rescue\\s+Exception(\\s*=>\\s*\\w+)?\\s*$',
      not: { any: [{ precedes: { kind: 'comment' } }] },
    },
    silentIf: 'explained',
    examples: [
      { code: 'begin\n  run\nrescue Exception => e\nend\n', lines: [3] },
      { code: 'begin\n  run\nrescue => e\nend\n', lines: [] },
      { code: 'begin\n  run\nrescue StandardError => e\n  logger.warn(e)\nend\n', lines: [] },
      { code: 'begin\n  run\nrescue Errno::ENOENT\nend\n', lines: [] },
      { code: 'def f\n  run\nrescue\n  nil\nend\n', lines: [] },
    ],
  },
  {
    id: 'rb-breakpoint',
    languages: RUBY,
    severity: 'P2',
    blocking: true,
    title: 'Leftover breakpoint',
    explanation: 'The process stops here and waits for input on its terminal. Delete the line.',
    rule: {
      any: [
        { pattern: 'binding.pry' },
        { pattern: 'binding.irb' },
        {
          kind: 'identifier',
          regex: '^byebug$',
          inside: {
            any: [
              { kind: 'program' },
              { kind: 'body_statement' },
              { kind: 'then' },
              { kind: 'do_block' },
              { kind: 'block_body' },
            ],
          },
        },
      ],
    },
    examples: [
      { code: 'def f\n  binding.pry\nend\n', lines: [2] },
      { code: 'def f\n  byebug\n  run\nend\n', lines: [2] },
      { code: '# binding.pry\ngem "byebug"\n', lines: [] },
    ],
  },
  {
    id: 'rb-focused-test',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Focused test disables all other tests',
    explanation:
      'The runner can skip all other examples, so a green run proves nothing. Remove the focus before merging.',
    rule: {
      any: [
        {
          kind: 'identifier',
          regex: '^(fit|fdescribe|fcontext)$',
          inside: {
            kind: 'call',
            field: 'method',
            not: { has: { field: 'receiver', not: { regex: '^RSpec$' }, regex: '.' } },
            has: { field: 'block', regex: '.' },
          },
        },
        {
          any: [
            { kind: 'pair', regex: '^(focus:|:focus\\s*=>)\\s*true$' },
            { kind: 'simple_symbol', regex: '^:focus$' },
          ],
          inside: {
            kind: 'argument_list',
            inside: {
              kind: 'call',
              has: { field: 'method', regex: '^(it|describe|context|specify|feature|scenario)$' },
            },
          },
        },
      ],
    },
    examples: [
      { code: 'describe "a" do\n  fit "works" do\n  end\nend\n', lines: [2] },
      { code: 'it "works", focus: true do\nend\n', lines: [1] },
      { code: 'it "works" do\nend\nmodel.fit(data)\n', lines: [] },
    ],
  },
];
