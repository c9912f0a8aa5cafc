import type { GrepNode, StructuralRule } from '../../model/rule.ts';

const C_SHARP = ['CSharp'] as const;

const ACCEPTS_ALL: GrepNode = {
  any: [
    { kind: 'lambda_expression', has: { field: 'body', regex: '^(true|\\{\\s*return true;\\s*\\})$' } },
    { kind: 'anonymous_method_expression', regex: '\\{\\s*return true;\\s*\\}$' },
    { regex: 'DangerousAcceptAnyServerCertificateValidator$' },
  ],
};

const IN_METHOD = (body: string): string => `class A\n{\n  void F()\n  {\n${body}  }\n}\n`;

export const C_SHARP_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'cs-tls-not-verified',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Add a private certificate authority to the trust store, or compare the certificate with the expected one.',
    rule: {
      kind: 'assignment_expression',
      all: [
        {
          has: {
            field: 'left',
            regex: '(ServerCertificateCustom|ServerCertificate|RemoteCertificate)ValidationCallback$',
          },
        },
        { has: { field: 'right', all: [ACCEPTS_ALL] } },
      ],
    },
    where: 'production',
    examples: [
      {
        code: IN_METHOD(
          '    handler.ServerCertificateCustomValidationCallback = (message, certificate, chain, errors) => true;\n    ServicePointManager.ServerCertificateValidationCallback += delegate { return true; };\n',
        ),
        lines: [5, 6],
      },
      {
        code: IN_METHOD(
          '    handler.ServerCertificateCustomValidationCallback = (message, certificate, chain, errors) => errors == SslPolicyErrors.None;\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-unsafe-deserialise',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'Deserialiser can run code from its input',
    explanation:
      'The input names the types to create, so crafted data can run code in this process. Use `System.Text.Json` or another serialiser with a fixed set of types.',
    rule: {
      any: [
        {
          kind: 'object_creation_expression',
          has: {
            field: 'type',
            regex:
              '^([\\w.]+\\.)?(BinaryFormatter|NetDataContractSerializer|SoapFormatter|LosFormatter|ObjectStateFormatter)$',
          },
          // A copy of an object, and a method that only writes.
          not: {
            inside: {
              kind: 'method_declaration',
              stopBy: 'end',
              any: [{ regex: '\\.Serialize\\(' }, { not: { regex: 'Deserialize\\(' } }],
            },
          },
        },
        {
          kind: 'assignment_expression',
          all: [
            { has: { field: 'left', regex: '(^|\\.)TypeNameHandling$' } },
            { has: { field: 'right', regex: '^TypeNameHandling\\.(All|Objects|Auto)$' } },
          ],
          not: { inside: { regex: '\\b(SerializationBinder|Binder)\\s*=', kind: 'initializer_expression' } },
        },
      ],
    },
    where: 'production',
    examples: [
      { code: IN_METHOD('    var user = new BinaryFormatter().Deserialize(stream);\n'), lines: [5] },
      {
        code: IN_METHOD(
          '    var formatter = new BinaryFormatter();\n    formatter.Serialize(stream, user);\n    return (User)formatter.Deserialize(stream);\n',
        ),
        lines: [],
      },
      {
        code: IN_METHOD('    var settings = new JsonSerializerSettings { TypeNameHandling = TypeNameHandling.All };\n'),
        lines: [5],
      },
      {
        code: IN_METHOD(
          '    var user = JsonSerializer.Deserialize<User>(stream);\n    var settings = new JsonSerializerSettings { TypeNameHandling = TypeNameHandling.None };\n    var bound = new JsonSerializerSettings { TypeNameHandling = TypeNameHandling.Auto, SerializationBinder = binder };\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-xml-external-entity',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'XML parser loads external entities',
    explanation:
      'A crafted document can read files of this machine and send requests from it. Leave `XmlResolver` null, or use an `XmlSecureResolver` for known documents only.',
    rule: {
      kind: 'assignment_expression',
      all: [
        { has: { field: 'left', regex: '(^|\\.)XmlResolver$' } },
        { has: { field: 'right', regex: '^new (System\\.Xml\\.)?XmlUrlResolver\\b' } },
      ],
    },
    where: 'production',
    examples: [
      {
        code: IN_METHOD('    var settings = new XmlReaderSettings { XmlResolver = new XmlUrlResolver() };\n'),
        lines: [5],
      },
      { code: IN_METHOD('    document.XmlResolver = null;\n    var resolver = new XmlUrlResolver();\n'), lines: [] },
    ],
  },
  {
    id: 'cs-predictable-token',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'Secret value comes from a predictable generator',
    explanation: 'An attacker can predict the output of `Random` from earlier values. Use `RandomNumberGenerator`.',
    rule: {
      kind: 'variable_declarator',
      all: [
        { has: { field: 'name', regex: '(?i)(token|secret|password|nonce|otp|apikey|sessionid|salt)$' } },
        { has: { regex: '\\bnew Random\\(|\\bRandom\\.Shared\\b', not: { kind: 'identifier' } } },
      ],
    },
    where: 'production',
    examples: [
      { code: IN_METHOD('    var resetToken = new Random().Next().ToString("x");\n'), lines: [5] },
      {
        code: IN_METHOD(
          '    var delay = Random.Shared.Next(10);\n    var token = RandomNumberGenerator.GetHexString(32);\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-token-not-signed',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'Tokens without a signature are accepted',
    explanation: 'Anyone can write a token for any user. Keep `RequireSignedTokens` true and set the signing key.',
    rule: {
      kind: 'assignment_expression',
      all: [
        { has: { field: 'left', regex: '(^|\\.)RequireSignedTokens$' } },
        { has: { field: 'right', regex: '^false$' } },
      ],
    },
    where: 'production',
    examples: [
      {
        code: IN_METHOD('    var check = new TokenValidationParameters { RequireSignedTokens = false };\n'),
        lines: [5],
      },
      { code: IN_METHOD('    var check = new TokenValidationParameters { RequireSignedTokens = true };\n'), lines: [] },
    ],
  },
  {
    id: 'cs-debugger',
    languages: C_SHARP,
    severity: 'P3',
    blocking: false,
    title: 'Leftover debugger call',
    explanation: 'The program stops here and asks for a debugger. Delete the line.',
    rule: { kind: 'invocation_expression', regex: '^(System\\.Diagnostics\\.)?Debugger\\.Launch\\(\\)$' },
    examples: [
      { code: IN_METHOD('    Debugger.Launch();\n'), lines: [5] },
      { code: IN_METHOD('    if (Debugger.IsAttached) Debugger.Break();\n'), lines: [] },
    ],
  },
  {
    id: 'cs-skipped-test',
    languages: C_SHARP,
    severity: 'P3',
    blocking: false,
    title: 'Test is skipped without a reason',
    explanation:
      'A skipped test checks nothing and is easily forgotten. Fix the test, delete it, or give the reason and link the issue that will enable it again.',
    rule: {
      kind: 'attribute',
      regex: '^Ignore(\\(\\))?$',
      inside: {
        stopBy: 'end',
        kind: 'method_declaration',
        regex: '\\[[^\\]]*\\b(Test|TestMethod|TestCase|DataTestMethod)\\b',
      },
    },
    examples: [
      { code: 'class A\n{\n  [Test]\n  [Ignore]\n  public void Works() { }\n}\n', lines: [4] },
      {
        code: 'class A\n{\n  [Test]\n  [Ignore("needs the new parser, #12")]\n  public void Works() { }\n  [Ignore]\n  public string Cached { get; set; }\n}\n',
        lines: [],
      },
    ],
  },
];
