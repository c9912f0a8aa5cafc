import { FOREIGN_DATA } from '../model/foreign-data.ts';
import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { protectsSecret } from './weak-hash.ts';

const JAVA = ['Java'] as const;

/** A string composed of parts that are not all literals. */
const COMPOSED: GrepNode = {
  any: [
    {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^\\+$' } },
        { has: { kind: 'string_literal', stopBy: 'end' } },
        { has: { any: ['identifier', 'method_invocation', 'field_access'].map((kind) => ({ kind })), stopBy: 'end' } },
      ],
    },
    { kind: 'method_invocation', regex: '^String\\.format\\(' },
    { kind: 'method_invocation', regex: '\\.formatted\\([^()]*\\)$' },
  ],
};
const SQL =
  '(?i)^(String\\.format\\(\\s*)?"+\\s*(select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s|from\\s+\\w+\\s)';

const NAME: GrepNode = { kind: 'identifier' };

const PROTECTS_SECRET = protectsSecret(
  ['local_variable_declaration', 'return_statement', 'expression_statement', 'field_declaration'],
  ['method_declaration'],
);

const ONLY_DECRYPTS: GrepNode = {
  kind: 'method_declaration',
  stopBy: 'end',
  all: [
    { has: { regex: '^(Cipher\\.)?DECRYPT_MODE$', stopBy: 'end' } },
    { not: { has: { regex: '^(Cipher\\.)?(ENCRYPT|WRAP)_MODE$', stopBy: 'end' } } },
  ],
};

export const JAVA_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'java-sql-concat',
    languages: JAVA,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Use a prepared statement and bind the value.',
    rule: {
      kind: 'method_invocation',
      all: [
        {
          has: {
            field: 'name',
            regex:
              '^(execute|executeQuery|executeUpdate|prepareStatement|createQuery|createNativeQuery|queryForObject|queryForList|query|update|addBatch)$',
          },
        },
        {
          has: {
            field: 'arguments',
            has: { nthChild: 1, pattern: '$SQL', any: [{ all: [COMPOSED, { regex: SQL }] }, NAME] },
          },
        },
      ],
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: 'class A {\n  void f(String name) {\n    statement.executeQuery("SELECT a FROM b WHERE c = \'" + name + "\'");\n  }\n}\n',
        lines: [3],
      },
      {
        code: 'class A {\n  void f(long id, String name) {\n    statement.executeQuery("SELECT * FROM users WHERE id = " + id);\n    statement.executeUpdate("UPDATE keys SET phrase = \'" + Crypto.encrypt(makeKey()) + "\'");\n    statement.executeQuery("SELECT * FROM users WHERE name = \'" + name + "\'");\n  }\n}\n',
        lines: [5],
      },
      {
        code: 'class A {\n  void f() {\n    statement.executeQuery("SELECT * FROM users WHERE id = " + id);\n  }\n}\n',
        lines: [3],
        mild: [3],
      },
      {
        code: 'class A {\n  void f() {\n    var s = c.prepareStatement("SELECT * FROM users WHERE id = ?");\n    pool.execute("task " + name);\n    s.executeQuery("SELECT a " + "FROM b");\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-shell-by-string',
    languages: JAVA,
    severity: 'P1',
    blocking: true,
    title: 'Command is built from a string',
    explanation:
      'A space in the inserted value adds arguments to the command. Give `ProcessBuilder` the program and its arguments as a list.',
    rule: {
      kind: 'method_invocation',
      all: [
        { has: { field: 'name', regex: '^exec$' } },
        { has: { field: 'object', regex: '(?i)runtime' } },
        { has: { field: 'arguments', has: { nthChild: 1, pattern: '$CMD', any: [COMPOSED, NAME] } } },
      ],
    },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      {
        code: 'class A {\n  void f(HttpServletRequest request) {\n    Runtime.getRuntime().exec("ls " + request.getParameter("path"));\n  }\n}\n',
        lines: [3],
      },
      {
        code: 'class A {\n  void f() {\n    Runtime.getRuntime().exec("ls " + path);\n  }\n}\n',
        lines: [3],
        mild: [3],
      },
      {
        code: 'class A {\n  void f() {\n    new ProcessBuilder("ls", path).start();\n    Runtime.getRuntime().exec("date");\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-tls-not-verified',
    languages: JAVA,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Add a private certificate authority to a trust store instead.',
    rule: {
      any: [
        {
          kind: 'method_declaration',
          all: [
            { has: { field: 'name', regex: '^checkServerTrusted$' } },
            { has: { field: 'body', regex: '^\\{\\s*\\}$' } },
          ],
        },
        { pattern: 'NoopHostnameVerifier.INSTANCE' },
        {
          kind: 'lambda_expression',
          regex: '->\\s*true$',
          inside: {
            kind: 'argument_list',
            inside: { kind: 'method_invocation', has: { field: 'name', regex: '(?i)hostnameVerifier$' } },
          },
        },
      ],
    },
    where: 'production',
    examples: [
      {
        code: 'class A implements X509TrustManager {\n  public void checkServerTrusted(X509Certificate[] chain, String type) {\n  }\n}\n',
        lines: [2],
      },
      {
        code: 'class A {\n  void f() {\n    connection.setHostnameVerifier((host, session) -> true);\n  }\n}\n',
        lines: [3],
      },
      {
        code: 'class A implements X509TrustManager {\n  public void checkServerTrusted(X509Certificate[] chain, String type) {\n    delegate.checkServerTrusted(chain, type);\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-unsafe-deserialise',
    languages: JAVA,
    severity: 'P1',
    blocking: true,
    title: 'Java deserialisation can run code from its input',
    explanation:
      'A crafted stream can run code through classes on the class path. Use JSON, or set an `ObjectInputFilter` that lists the allowed classes.',
    rule: {
      kind: 'object_creation_expression',
      has: { field: 'type', regex: '^ObjectInputStream$' },
      not: {
        any: [
          // A subclass that checks the classes, and a file of the program itself.
          { has: { kind: 'class_body' } },
          { has: { field: 'arguments', regex: '(?i)FileInput|openFileInput|cache', not: { regex: FOREIGN_DATA } } },
          // A copy of an object.
          {
            inside: { kind: 'method_declaration', stopBy: 'end', regex: 'new ObjectOutputStream\\(|ObjectInputFilter' },
          },
        ],
      },
    },
    where: 'production',
    examples: [
      {
        code: 'class A {\n  Object f(InputStream in) throws Exception {\n    return new ObjectInputStream(in).readObject();\n  }\n}\n',
        lines: [3],
      },
      { code: 'class A {\n  void f() {\n    new ObjectOutputStream(out).writeObject(a);\n  }\n}\n', lines: [] },
      {
        code: 'class A {\n  A copy(A a) throws Exception {\n    var out = new ByteArrayOutputStream();\n    new ObjectOutputStream(out).writeObject(a);\n    return (A) new ObjectInputStream(new ByteArrayInputStream(out.toByteArray())).readObject();\n  }\n}\n',
        lines: [],
      },
      {
        code: 'class A {\n  Object f(File state) throws Exception {\n    return new ObjectInputStream(new FileInputStream(state)).readObject();\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-weak-hash',
    languages: JAVA,
    severity: 'P2',
    blocking: false,
    title: 'MD5 or SHA-1 protects a secret',
    explanation:
      'Collisions are practical for MD5 and SHA-1, so neither protects passwords, tokens or signatures. Use SHA-256, HMAC or a password hash.',
    rule: { pattern: 'MessageDigest.getInstance($NAME)', all: [PROTECTS_SECRET] },
    constraints: { NAME: { regex: '^"(?i:md5|md4|sha-?1|sha)"$' } },
    where: 'production',
    examples: [
      {
        code: 'class A {\n  byte[] hashPassword(byte[] text) throws Exception {\n    return MessageDigest.getInstance("MD5").digest(text);\n  }\n}\n',
        lines: [3],
      },
      {
        code: 'class A {\n  byte[] f() throws Exception {\n    var etag = MessageDigest.getInstance("MD5").digest(body);\n    return MessageDigest.getInstance("SHA-256").digest(password);\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-weak-cipher',
    languages: JAVA,
    severity: 'P1',
    blocking: true,
    title: 'Cipher is weak',
    explanation:
      'DES and RC4 can be broken, and ECB (the default of plain `AES`) reveals which blocks are equal. Use `AES/GCM/NoPadding` with a fresh nonce.',
    // Who only decrypts reads what was encrypted earlier, and cannot choose another cipher.
    rule: { pattern: 'Cipher.getInstance($NAME)', not: { inside: ONLY_DECRYPTS } },
    constraints: {
      NAME: { regex: '^"(?i:des|desede|rc4|arcfour|blowfish|aes|(des|desede|aes|blowfish)/ecb/.*|des/.*)"$' },
    },
    where: 'production',
    examples: [
      {
        code: 'class A {\n  void f() throws Exception {\n    var c = Cipher.getInstance("AES/ECB/PKCS5Padding");\n  }\n}\n',
        lines: [3],
      },
      {
        code: 'class A {\n  void f(int mode) throws Exception {\n    var c = Cipher.getInstance("DES");\n    c.init(mode, key);\n  }\n  void g() throws Exception {\n    var c = Cipher.getInstance("DES");\n    c.init(on ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE, key);\n  }\n  void h() throws Exception {\n    var c = Cipher.getInstance("DES");\n    c.init(Cipher.DECRYPT_MODE, key);\n  }\n}\n',
        lines: [3, 7],
      },
      {
        code: 'class A {\n  void f() throws Exception {\n    var c = Cipher.getInstance("AES/GCM/NoPadding");\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-predictable-token',
    languages: JAVA,
    severity: 'P1',
    blocking: true,
    title: 'Secret value comes from a predictable generator',
    explanation: 'An attacker can predict the output of `Random` from earlier values. Use `SecureRandom`.',
    rule: {
      kind: 'variable_declarator',
      all: [
        { has: { field: 'name', regex: '(?i)(token|secret|password|nonce|otp|apikey|sessionid|salt)$' } },
        {
          has: {
            field: 'value',
            regex: '\\bnew Random\\(|\\bMath\\.random\\(|RandomStringUtils\\.random|ThreadLocalRandom',
          },
        },
      ],
    },
    where: 'production',
    examples: [
      {
        code: 'class A {\n  void f() {\n    String token = Long.toHexString(new Random().nextLong());\n  }\n}\n',
        lines: [3],
      },
      {
        code: 'class A {\n  void f() {\n    int delay = new Random().nextInt(10);\n    var token = new SecureRandom().nextLong();\n  }\n}\n',
        lines: [],
      },
    ],
  },
];
