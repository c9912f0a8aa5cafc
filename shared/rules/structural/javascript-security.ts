import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { protectsSecret } from './weak-hash.ts';

const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

const TLS =
  'Anyone on the network path can impersonate the server and read or change all traffic. Keep verification on and trust a private certificate authority with the `ca` option or `NODE_EXTRA_CA_CERTS`.';

const PROTECTS_SECRET = protectsSecret(
  ['expression_statement', 'lexical_declaration', 'variable_declaration', 'return_statement', 'pair', 'arrow_function'],
  ['function_declaration', 'method_definition', 'variable_declarator'],
);

/** Tells answers or drawings apart, and protects nothing. */
const NO_SECRET: GrepNode = {
  regex: '(?i)(cancel|request|render|refresh|abort|update|search|load|lock|cache)_?token$',
};

export const JAVASCRIPT_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'js-tls-not-verified',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation: TLS,
    rule: {
      kind: 'pair',
      all: [{ has: { field: 'key', regex: '^rejectUnauthorized$' } }, { has: { field: 'value', kind: 'false' } }],
    },
    fix: 'rejectUnauthorized: true',
    where: 'production',
    examples: [
      {
        code: 'const agent = new https.Agent({\n  rejectUnauthorized: false,\n});\n',
        lines: [2],
        suggestion: '  rejectUnauthorized: true,',
      },
      { code: 'const agent = new https.Agent({ rejectUnauthorized: true });\n', lines: [] },
      { code: 'connect({ rejectUnauthorized: false });\n', lines: [], path: 'test/tls.test.js' },
      {
        code: 'https.createServer({ requestCert: true, rejectUnauthorized: false }, handle);\n',
        lines: [],
      },
      {
        code: 'function agentFor(settings) {\n  if (settings.ignoreCertificate || settings.allowInsecure) {\n    return new https.Agent({ rejectUnauthorized: false });\n  }\n}\n',
        lines: [],
      },
      {
        code: 'send(mail).catch((error) => {\n  if (error.message === "self signed certificate") {\n    connect({ rejectUnauthorized: false });\n  }\n});\n',
        lines: [3],
      },
      {
        code: '// The appliance has a self-signed certificate, which is compared below.\nconst agent = new https.Agent({ rejectUnauthorized: false });\n',
        lines: [],
      },
      { code: '// eslint-disable-next-line ssl\nconnect({ rejectUnauthorized: false });\n', lines: [2] },
    ],
  },
  {
    id: 'js-tls-switched-off',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'TLS verification is disabled for the whole process',
    explanation: TLS,
    rule: {
      any: [
        { pattern: 'process.env.NODE_TLS_REJECT_UNAUTHORIZED = $OFF' },
        { pattern: "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = $OFF" },
      ],
      // Chosen by a setting.
      not: { inside: { kind: 'if_statement', stopBy: 'end' } },
    },
    constraints: { OFF: { regex: '^["\'`]?0["\'`]?$' } },
    where: 'production',
    examples: [
      { code: "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';\n", lines: [1] },
      { code: "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';\n", lines: [], path: 'extra/healthcheck.js' },
      { code: "if (settings.insecure) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';\n", lines: [] },
      {
        code: "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '1';\ndelete process.env.NODE_TLS_REJECT_UNAUTHORIZED;\n",
        lines: [],
      },
    ],
  },
  {
    id: 'js-weak-hash',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: 'MD5 or SHA-1 protects a secret',
    explanation:
      'Collisions are practical for MD5 and SHA-1, so neither protects passwords, tokens or signatures. Use SHA-256, HMAC or a password hash.',
    rule: { any: [{ pattern: '$OBJECT.createHash($NAME)' }, { pattern: 'createHash($NAME)' }], all: [PROTECTS_SECRET] },
    constraints: { NAME: { kind: 'string', regex: '^["\'](?i:md4|md5|sha1|sha-1)["\']$' } },
    where: 'production',
    examples: [
      { code: "const token = crypto.createHash('md5').update(user).digest('hex');\n", lines: [1] },
      {
        code: "function hashPassword(text) {\n  return createHash('sha1').update(text).digest('hex');\n}\n",
        lines: [2],
      },
      {
        code: "const etag = createHash('md5').update(body).digest('hex');\nconst token = createHash('sha256');\n",
        lines: [],
      },
      { code: "const token = crypto.createHash('md5');\n", lines: [], path: 'src/hash.spec.ts' },
    ],
  },
  {
    id: 'js-predictable-token',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Secret value comes from Math.random',
    explanation:
      'An attacker can predict the output of `Math.random` from earlier values. Use `crypto.randomBytes` or `crypto.randomUUID`.',
    rule: {
      any: [
        {
          kind: 'variable_declarator',
          has: {
            field: 'name',
            regex: '(?i)(token|secret|password|nonce|otp|api_?key|session_?id|salt)$',
            not: NO_SECRET,
          },
        },
        {
          kind: 'assignment_expression',
          has: {
            field: 'left',
            regex: '(?i)(token|secret|password|nonce|otp|api_?key|session_?id|salt)$',
            not: NO_SECRET,
          },
        },
        {
          kind: 'pair',
          has: {
            field: 'key',
            regex: '(?i)(token|secret|password|nonce|otp|api_?key|session_?id|salt)$',
            not: NO_SECRET,
          },
        },
      ],
      has: {
        pattern: 'Math.random()',
        stopBy: { any: [{ kind: 'arrow_function' }, { kind: 'function_expression' }, { kind: 'object' }] },
      },
    },
    where: 'production',
    examples: [
      { code: 'const resetToken = Math.random().toString(36).slice(2);\n', lines: [1] },
      {
        code: 'const delayMs = Math.random() * 1000;\nconst token = randomUUID();\nthis.requestToken = Math.random();\n',
        lines: [],
      },
    ],
  },
  {
    id: 'js-jwt-none',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'JWT algorithm "none" allows forged tokens',
    explanation:
      'With `none` a token needs no signature, so anyone can forge one. List only the algorithm that you sign with.',
    rule: {
      kind: 'pair',
      all: [
        { has: { field: 'key', regex: '^["\']?(algorithm|algorithms|alg)["\']?$' } },
        { has: { field: 'value', regex: '^\\[?[^{}\\]]*["\'](?i:none)["\']' } },
      ],
    },
    where: 'production',
    examples: [
      { code: "jwt.verify(token, key, { algorithms: ['HS256', 'none'] });\n", lines: [1] },
      { code: "jwt.verify(token, key, { algorithms: ['HS256'] });\nconst style = { display: 'none' };\n", lines: [] },
    ],
  },
  {
    id: 'js-world-writable',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'File is writable by everyone',
    explanation:
      'Every account on the machine can change the file. Grant only the permissions that are needed, such as `0o755` or `0o600`.',
    rule: {
      any: [
        { pattern: '$FS.chmod($PATH, $MODE, $$$REST)' },
        { pattern: '$FS.chmod($PATH, $MODE)' },
        { pattern: '$FS.chmodSync($PATH, $MODE)' },
        { pattern: 'chmod($PATH, $MODE, $$$REST)' },
        { pattern: 'chmod($PATH, $MODE)' },
        { pattern: 'chmodSync($PATH, $MODE)' },
      ],
    },
    constraints: { MODE: { regex: '^["\']?(0o?)?[0-7]?[0-7][0-7][2367]["\']?$' } },
    where: 'production',
    examples: [
      { code: 'fs.chmodSync(path, 0o777);\n', lines: [1] },
      { code: "await chmod(path, '666');\n", lines: [1] },
      { code: 'fs.chmodSync(path, 0o755);\nchmod(path, 0o600);\n', lines: [] },
    ],
  },
  {
    id: 'js-post-message-star',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'postMessage sends to any origin',
    explanation:
      "With `'*'`, any page loaded in that window can read the message. Name the origin of the intended receiver.",
    rule: {
      any: [
        { pattern: '$WINDOW.postMessage($MESSAGE, $ORIGIN, $$$REST)' },
        { pattern: '$WINDOW.postMessage($MESSAGE, $ORIGIN)' },
      ],
    },
    constraints: {
      ORIGIN: { regex: '^["\']\\*["\']$' },
      WINDOW: { regex: '(?i)(parent|opener|window|top|frame|iframe|popup)$' },
    },
    where: 'production',
    examples: [
      { code: "window.parent.postMessage({ token }, '*');\n", lines: [1] },
      { code: 'window.parent.postMessage(data, origin);\nworker.postMessage(data);\n', lines: [] },
    ],
  },
];
