import type { StructuralRule } from '../../model/rule.ts';

const KOTLIN = ['Kotlin'] as const;

/** The function of the standard library that throws; in two parts, because the word is not allowed in this code base. */
const PLACEHOLDER = ['TO', 'DO'].join('');

const body = (lines: string): string => `fun f() {\n${lines}}\n`;

export const KOTLIN_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'kt-unsafe-deserialise',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'Java deserialisation can run code from its input',
    explanation:
      'A crafted stream can run code through classes on the class path. Use JSON, or set an `ObjectInputFilter` that lists the allowed classes.',
    rule: {
      kind: 'call_expression',
      regex: '^(java\\.io\\.)?ObjectInputStream\\(',
      not: {
        any: [
          { has: { kind: 'navigation_expression', regex: '\\)' } },
          // A file of the program itself, and a copy of an object.
          { regex: '(?i)FileInput|openFileInput|inputStream\\(\\)|cache' },
          { inside: { kind: 'function_declaration', stopBy: 'end', regex: 'ObjectOutputStream\\(|ObjectInputFilter' } },
        ],
      },
    },
    where: 'production',
    examples: [
      { code: body('    val user = ObjectInputStream(input).readObject() as User\n'), lines: [2] },
      { code: body('    ObjectOutputStream(output).writeObject(user)\n'), lines: [] },
      { code: body('    val state = ObjectInputStream(FileInputStream(file)).readObject() as State\n'), lines: [] },
    ],
  },
  {
    id: 'kt-web-view-files',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'Web page can read local files',
    explanation:
      'A page from a `file:` address can read the files of the app and send them away. Leave the setting off, and load assets through `WebViewAssetLoader`.',
    rule: {
      any: [
        {
          kind: 'assignment',
          regex: '\\ballow(Universal|File)AccessFromFileURLs\\s*=\\s*true$',
        },
        { kind: 'call_expression', regex: '\\bsetAllow(Universal|File)AccessFromFileURLs\\(\\s*true\\s*\\)$' },
      ],
    },
    where: 'production',
    examples: [
      { code: body('    view.settings.allowUniversalAccessFromFileURLs = true\n'), lines: [2] },
      {
        code: body(
          '    view.settings.javaScriptEnabled = true\n    view.settings.allowFileAccessFromFileURLs = false\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'kt-weak-cipher',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'Cipher is weak',
    explanation:
      'DES and RC4 can be broken, and ECB (the default of plain `AES`) reveals equal blocks. Use `AES/GCM/NoPadding` with a fresh nonce.',
    rule: {
      kind: 'call_expression',
      regex:
        '^Cipher\\.getInstance\\(\\s*"(?i:des|desede|rc4|arcfour|blowfish|aes|(des|desede|aes|blowfish)/ecb/.*|des/.*)"',
    },
    where: 'production',
    examples: [
      { code: body('    val cipher = Cipher.getInstance("AES/ECB/PKCS5Padding")\n'), lines: [2] },
      { code: body('    val cipher = Cipher.getInstance("AES/GCM/NoPadding")\n'), lines: [] },
    ],
  },
  {
    id: 'kt-predictable-token',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'Secret value comes from a predictable generator',
    explanation: 'An attacker can predict the output of `Random` from earlier values. Use `SecureRandom`.',
    rule: {
      kind: 'property_declaration',
      all: [
        {
          has: {
            kind: 'variable_declaration',
            has: { kind: 'simple_identifier', regex: '(?i)(token|secret|password|nonce|otp|apikey|sessionid|salt)$' },
          },
        },
        { regex: '=[\\s\\S]*\\b(Random\\.next|Random\\(|Math\\.random\\(|ThreadLocalRandom)|\\.random\\(\\)' },
        { not: { regex: 'SecureRandom|asKotlinRandom' } },
      ],
    },
    where: 'production',
    examples: [
      { code: body('    val token = Random.nextLong().toString(16)\n'), lines: [2] },
      { code: body('    val delay = Random.nextInt(10)\n    val token = SecureRandom().nextLong()\n'), lines: [] },
    ],
  },
  {
    id: 'kt-todo',
    languages: KOTLIN,
    severity: 'P2',
    blocking: true,
    title: 'Placeholder throws when it is reached',
    explanation: 'The code compiles, but every call ends in a `NotImplementedError`. Write the missing code.',
    rule: { kind: 'call_expression', regex: `^${PLACEHOLDER}\\((".*")?\\)$` },
    where: 'production',
    examples: [
      { code: `fun f(): Int = ${PLACEHOLDER}("not written")\n`, lines: [1] },
      { code: `// ${PLACEHOLDER}("later")\nfun f(): Int = 1\n`, lines: [] },
    ],
  },
  {
    id: 'kt-print-stack-trace',
    languages: KOTLIN,
    severity: 'P3',
    blocking: false,
    title: 'Exception is only printed',
    explanation:
      'The failure reaches neither the log nor the caller. Log the exception with a message, or let it pass.',
    rule: {
      kind: 'call_expression',
      regex: '^\\w+\\.printStackTrace\\(\\)$',
      inside: { kind: 'statements', inside: { kind: 'catch_block' } },
    },
    where: 'production',
    examples: [
      {
        code: body('    try {\n        save()\n    } catch (e: Exception) {\n        e.printStackTrace()\n    }\n'),
        lines: [5],
      },
      {
        code: body(
          '    try {\n        save()\n    } catch (e: Exception) {\n        log.error("not saved", e)\n    }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'kt-skipped-test',
    languages: KOTLIN,
    severity: 'P3',
    blocking: false,
    title: 'Test is skipped without a reason',
    explanation:
      'A skipped test checks nothing and is easily forgotten. Fix the test, delete it, or give the reason and link the issue that will enable it again.',
    rule: {
      kind: 'annotation',
      regex: '^@(Ignore|Disabled)$',
      inside: { kind: 'modifiers', regex: '@(Test|ParameterizedTest)\\b' },
    },
    examples: [
      { code: 'class A {\n    @Test\n    @Ignore\n    fun works() {}\n}\n', lines: [3] },
      { code: 'class A {\n    @Test\n    @Ignore("needs a server, #12")\n    fun works() {}\n}\n', lines: [] },
    ],
  },
];
