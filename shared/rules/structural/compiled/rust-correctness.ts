import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { RUST_TEST_CODE } from './rust-security.ts';

const RUST = ['Rust'] as const;

/** Code that runs as part of the async function or block itself, not in a closure that may run on another thread. */
const IN_ASYNC: GrepNode = {
  any: [
    {
      inside: {
        stopBy: { any: ['closure_expression', 'function_item', 'async_block'].map((kind) => ({ kind })) },
        any: [
          { kind: 'async_block' },
          { kind: 'function_item', has: { kind: 'function_modifiers', regex: '\\basync\\b' } },
        ],
      },
    },
  ],
};

const inFunction = (body: string): string => `fn f() {\n${body}}\n`;

export const RUST_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'rs-uninitialised',
    languages: RUST,
    severity: 'P1',
    blocking: true,
    title: 'Value is used without being initialised',
    explanation:
      'This is undefined behaviour for almost every type, even for integers. Write the value first, then call `assume_init`.',
    rule: {
      any: [
        {
          kind: 'call_expression',
          has: { field: 'function', regex: '^(std::|core::)?mem::uninitialized(::<[^()]*>)?$' },
        },
        {
          kind: 'call_expression',
          regex: '^([\\w:]*::)?MaybeUninit(::<[^()]*>)?::uninit\\(\\)\\s*\\.assume_init\\(\\)$',
          not: { inside: { stopBy: 'end', kind: 'let_declaration', has: { field: 'type', regex: 'MaybeUninit' } } },
        },
      ],
    },
    examples: [
      { code: inFunction('    let buffer: [u8; 4] = unsafe { MaybeUninit::uninit().assume_init() };\n'), lines: [2] },
      { code: inFunction('    let x: u32 = unsafe { std::mem::uninitialized() };\n'), lines: [2] },
      {
        code: inFunction(
          '    let all: [MaybeUninit<u8>; 4] = unsafe { MaybeUninit::uninit().assume_init() };\n    let mut one = MaybeUninit::uninit();\n    one.write(1);\n    let one = unsafe { one.assume_init() };\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'rs-sleep-in-async',
    languages: RUST,
    severity: 'P2',
    blocking: true,
    title: 'Sleep blocks the async executor',
    explanation:
      'Every task on this thread stops during the sleep. Await the sleep of the runtime, such as `tokio::time::sleep`.',
    rule: {
      kind: 'call_expression',
      has: { field: 'function', regex: '^(std::)?thread::sleep$' },
      all: [IN_ASYNC, { not: RUST_TEST_CODE }],
    },
    where: 'production',
    examples: [
      { code: 'async fn f() {\n    std::thread::sleep(DELAY);\n}\n', lines: [2] },
      {
        code: 'async fn f() {\n    spawn_blocking(|| std::thread::sleep(DELAY)).await;\n    tokio::time::sleep(DELAY).await;\n}\nfn g() {\n    std::thread::sleep(DELAY);\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'rs-lock-across-await',
    languages: RUST,
    severity: 'P2',
    blocking: true,
    title: 'Lock is held across an await',
    explanation:
      'Another task that wants the lock blocks its thread until this task continues, which can deadlock. Drop the guard before the await, or use an async mutex.',
    rule: {
      kind: 'let_declaration',
      all: [
        { has: { field: 'pattern', any: [{ pattern: '$GUARD', kind: 'identifier' }] } },
        { has: { field: 'value', regex: '\\.(lock|write|read)\\(\\)\\s*\\.(unwrap\\(\\)|expect\\("[^"]*"\\))$' } },
        {
          precedes: {
            stopBy: 'end',
            has: {
              kind: 'await_expression',
              stopBy: { any: [{ kind: 'closure_expression' }, { kind: 'async_block' }, { kind: 'function_item' }] },
            },
          },
        },
        { not: { precedes: { stopBy: 'end', has: { stopBy: 'end', pattern: 'drop($GUARD)' } } } },
        { not: RUST_TEST_CODE },
      ],
    },
    where: 'production',
    examples: [
      { code: 'async fn f() {\n    let state = STATE.lock().unwrap();\n    save(&state).await;\n}\n', lines: [2] },
      {
        code: 'async fn f() {\n    let state = STATE.lock().unwrap();\n    let copy = state.clone();\n    drop(state);\n    save(&copy).await;\n    let state = STATE.lock().await;\n    let id = STATE.lock().unwrap().id;\n    save(&state).await;\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'rs-todo',
    languages: RUST,
    severity: 'P2',
    blocking: true,
    title: 'todo! panics when it is reached',
    explanation: 'The code compiles, but every call ends in a panic. Write the missing code, or return an error.',
    rule: { kind: 'macro_invocation', has: { field: 'macro', regex: '^todo$' }, not: RUST_TEST_CODE },
    where: 'production',
    examples: [
      { code: inFunction('    todo!("parse the header")\n'), lines: [2] },
      { code: '// todo!()\nmod tests {\n    fn f() {\n        todo!();\n    }\n}\n', lines: [] },
    ],
  },
  {
    id: 'rs-debug-output',
    languages: RUST,
    severity: 'P3',
    blocking: false,
    title: 'Leftover debug output',
    explanation: '`dbg!` prints to standard error in release builds too. Delete it, or use a logger.',
    rule: { kind: 'macro_invocation', has: { field: 'macro', regex: '^dbg$' }, not: RUST_TEST_CODE },
    where: 'production',
    examples: [
      { code: inFunction('    let size = dbg!(list.len());\n'), lines: [2] },
      { code: inFunction('    debug!("size {}", list.len());\n'), lines: [] },
    ],
  },
  {
    id: 'rs-skipped-test',
    languages: RUST,
    severity: 'P3',
    blocking: false,
    title: 'Test is skipped without a reason',
    explanation:
      'A skipped test checks nothing and is easily forgotten. Fix the test, delete it, or give the reason: `#[ignore = "…"]`.',
    rule: { kind: 'attribute_item', regex: '^#\\[\\s*ignore\\s*\\]$' },
    examples: [
      { code: '#[test]\n#[ignore]\nfn works() {}\n', lines: [2] },
      // Slow tests of one file, which people run by name.
      {
        code: '#[test]\n#[ignore]\nfn a() {}\n#[test]\n#[ignore]\nfn b() {}\n#[test]\n#[ignore]\nfn c() {}\n',
        lines: [],
      },
      { code: '#[test]\n#[ignore = "needs a server"]\nfn works() {}\n', lines: [] },
    ],
  },
];
