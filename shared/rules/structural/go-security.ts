import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { protectsSecret } from './weak-hash.ts';

const GO = ['Go'] as const;

/** A string composed of parts that are not all literals. */
const COMPOSED: GrepNode = {
  any: [
    { kind: 'call_expression', regex: '^fmt\\.Sprintf?\\(' },
    {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^\\+$' } },
        { has: { any: [{ kind: 'interpreted_string_literal' }, { kind: 'raw_string_literal' }], stopBy: 'end' } },
        {
          has: {
            any: ['identifier', 'selector_expression', 'call_expression'].map((kind) => ({ kind })),
            stopBy: 'end',
          },
        },
      ],
    },
  ],
};
const SQL =
  '(?i)^(fmt\\.Sprintf?\\(\\s*)?[`"]\\s*(select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s)';

const PROTECTS_SECRET = protectsSecret(
  ['short_var_declaration', 'return_statement', 'assignment_statement', 'var_declaration', 'expression_statement'],
  ['function_declaration', 'method_declaration'],
);

export const GO_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'go-tls-not-verified',
    languages: GO,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Add a private certificate authority to `RootCAs` instead.',
    rule: {
      any: [
        { kind: 'keyed_element', regex: '^InsecureSkipVerify\\s*:\\s*true$' },
        { pattern: '$CONFIG.InsecureSkipVerify = true' },
      ],
    },
    where: 'production',
    examples: [
      { code: 'package a\n\nvar c = &tls.Config{\n\tInsecureSkipVerify: true,\n}\n', lines: [4] },
      { code: 'package a\n\nvar c = &tls.Config{InsecureSkipVerify: false}\n', lines: [] },
      {
        code: 'package a\n\nvar c = &tls.Config{\n\tInsecureSkipVerify: true,\n\tVerifyPeerCertificate: verifyPinned,\n}\n',
        lines: [],
      },
      {
        code: 'package a\n\nfunc f(options Options) {\n\tif options.SkipVerify {\n\t\tconfig.InsecureSkipVerify = true\n\t}\n}\n',
        lines: [],
      },
      { code: 'package a\n\nvar c = &tls.Config{InsecureSkipVerify: true} //nolint:gosec\n', lines: [3] },
    ],
  },
  {
    id: 'go-sql-concat',
    languages: GO,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Use placeholders and pass the values as arguments.',
    rule: {
      kind: 'call_expression',
      has: {
        field: 'function',
        regex:
          '\\.(Query|QueryRow|Exec|QueryContext|QueryRowContext|ExecContext|Prepare|PrepareContext|Raw|Get|Select|Queryx)$',
      },
      all: [
        {
          has: {
            field: 'arguments',
            has: {
              pattern: '$SQL',
              any: [
                { all: [COMPOSED, { regex: SQL }] },
                { kind: 'identifier', regex: '(?i)sql|query|stmt|statement|^q$' },
              ],
            },
          },
        },
      ],
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: 'package a\n\nfunc (s *Store) Find(id string, name string) {\n\tid, _ = clean(id)\n\ts.db.Query("SELECT a FROM b WHERE c = \'" + name + "\'")\n\ts.db.Query("SELECT a FROM b WHERE c = " + id)\n}\n',
        lines: [5, 6],
        mild: [6],
      },
      {
        code: 'package a\n\nfunc f() {\n\tdb.Query(fmt.Sprintf("SELECT * FROM %s LIMIT %d", m.TableName(), n))\n}\n',
        lines: [],
      },
      {
        code: 'package a\n\nfunc f() {\n\tdb.Query("SELECT * FROM users WHERE id = " + id)\n}\n',
        lines: [4],
        mild: [4],
      },
      {
        code: 'package a\n\nfunc f() {\n\tdb.Exec("INSERT INTO a (b) VALUES (?) " + upsert("b") + " b = ?", c)\n\tdb.Exec("INSERT INTO a (b) VALUES (?) " + db.upsert("b") + " b = ?", c)\n}\n',
        lines: [5],
        mild: [5],
      },
      {
        code: 'package a\n\nfunc f(name string) {\n\tdb.Exec("DELETE FROM a WHERE b = \'" + name + "\'")\n\tdb.Exec("DELETE FROM a WHERE b = \'" + s.current.name + "\'")\n\tdb.Exec("DELETE FROM a WHERE b = \'" + r.FormValue("b").Body + "\'")\n}\n',
        lines: [4, 5, 6],
        mild: [5],
      },
      {
        code: 'package a\n\nfunc f(id, limit int64) {\n\tdb.Query(fmt.Sprintf("SELECT * FROM users WHERE id = %v LIMIT %v", id, limit))\n}\n',
        lines: [],
      },
      {
        code: 'package a\n\nfunc f() {\n\tdb.ExecContext(ctx, fmt.Sprintf("DELETE FROM users WHERE name = \'%s\'", name))\n}\n',
        lines: [4],
        mild: [4],
      },
      {
        code: 'package a\n\nfunc f() {\n\tdb.Query("SELECT * FROM users WHERE id = $1", id)\n\tdb.Exec(fmt.Sprintf("task %s", id))\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-shell-by-string',
    languages: GO,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Give `exec.Command` the program and its arguments without a shell.',
    rule: {
      any: [
        { pattern: 'exec.Command($SHELL, $FLAG, $CMD)' },
        { pattern: 'exec.CommandContext($CONTEXT, $SHELL, $FLAG, $CMD)' },
      ],
    },
    constraints: {
      SHELL: { regex: '^"(/bin/|/usr/bin/)?(ba|da|z)?sh"$' },
      FLAG: { regex: '^"-[a-z]*c"$' },
      CMD: { any: [COMPOSED, { kind: 'identifier' }] },
    },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      {
        code: 'package a\n\nfunc f(r *http.Request) {\n\texec.Command("sh", "-c", "rm "+r.FormValue("path")).Run()\n}\n',
        lines: [4],
      },
      { code: 'package a\n\nfunc f() {\n\texec.Command("sh", "-c", "rm "+path).Run()\n}\n', lines: [4], mild: [4] },
      {
        code: 'package a\n\nfunc f() {\n\texec.Command("rm", path).Run()\n\texec.Command("sh", "-c", "date").Run()\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-weak-hash',
    languages: GO,
    severity: 'P2',
    blocking: false,
    title: 'MD5 or SHA-1 protects a secret',
    explanation:
      'Collisions are practical for MD5 and SHA-1, so neither protects passwords, tokens or signatures. Use SHA-256, HMAC or a password hash.',
    rule: { kind: 'call_expression', regex: '^(md5|sha1)\\.(New|Sum)\\(', all: [PROTECTS_SECRET] },
    where: 'production',
    examples: [
      { code: 'package a\n\nfunc f() {\n\ttoken := md5.Sum([]byte(user))\n\tuse(token)\n}\n', lines: [4] },
      { code: 'package a\n\nvar etag = md5.Sum(body)\nvar token = sha256.Sum256(body)\n', lines: [] },
    ],
  },
  {
    id: 'go-predictable-token',
    languages: GO,
    severity: 'P1',
    blocking: true,
    title: 'Secret value comes from math/rand',
    explanation: 'An attacker can predict the output of `math/rand` from earlier values. Read from `crypto/rand`.',
    rule: {
      any: [{ kind: 'short_var_declaration' }, { kind: 'assignment_statement' }],
      all: [
        { has: { field: 'left', regex: '(?i)(token|secret|password|nonce|otp|apikey|sessionid|salt)$' } },
        {
          has: {
            field: 'right',
            has: {
              kind: 'call_expression',
              stopBy: 'end',
              regex: '^rand\\.(Intn|Int63|Int31|Int31n|Int63n|Uint32|Uint64|Float64|IntN|N)\\(',
            },
          },
        },
      ],
    },
    where: 'production',
    examples: [
      { code: 'package a\n\nfunc f() {\n\ttoken := strconv.Itoa(rand.Intn(1000000))\n\tuse(token)\n}\n', lines: [4] },
      {
        code: 'package a\n\nfunc f() {\n\tdelay := rand.Intn(10)\n\ttoken := uuid.NewString()\n\tuse(delay, token)\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-world-writable',
    languages: GO,
    severity: 'P2',
    blocking: true,
    title: 'File is writable by everyone',
    explanation:
      'Every account on the machine can change the file. Grant only the permissions that are needed, such as `0o755` or `0o600`.',
    rule: { any: [{ pattern: 'os.Chmod($PATH, $MODE)' }] },
    constraints: { MODE: { regex: '^0o?[0-7]?[0-7][0-7][2367]$' }, PATH: { not: { regex: '(?i)sock' } } },
    where: 'production',
    examples: [
      { code: 'package a\n\nfunc f() error {\n\treturn os.Chmod(path, 0777)\n}\n', lines: [4] },
      { code: 'package a\n\nfunc f() error {\n\treturn os.Chmod(path, 0o755)\n}\n', lines: [] },
    ],
  },
  {
    id: 'go-unescaped-html',
    languages: GO,
    severity: 'P1',
    blocking: true,
    title: 'Computed text is marked as safe HTML',
    explanation:
      '`template.HTML` disables escaping, so markup in the value runs as script. Pass the plain string to the template.',
    rule: {
      any: [{ kind: 'call_expression' }, { kind: 'type_conversion_expression' }],
      regex: '^template\\.(HTML|JS)\\(',
      has: { pattern: '$HTML', all: [COMPOSED, { not: { regex: '(?i)sanitiz|sanitis|escape' } }], stopBy: 'end' },
    },
    builds: { for: 'html', from: 'HTML' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      { code: 'package a\n\nvar h = template.HTML("<b>" + name + "</b>")\n', lines: [3], mild: [3] },
      { code: 'package a\n\nvar h = template.HTML("<b>static</b>")\n', lines: [] },
      {
        code: 'package a\n\nfunc icon(iconName string) template.HTML {\n\treturn template.HTML(fmt.Sprintf(`<svg><use href="%s#icon-%s"/></svg>`, iconPath("sprite.svg"), iconName))\n}\n',
        lines: [],
      },
    ],
  },
];
