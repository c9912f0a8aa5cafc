import { FOREIGN_DATA } from '../model/foreign-data.ts';
import type { GrepNode, StructuralRule } from '../model/rule.ts';

const PYTHON = ['Python'] as const;

/** A string composed of parts that are not all literals. */
const COMPOSED: GrepNode = {
  any: [
    { kind: 'string', has: { kind: 'interpolation' } },
    {
      kind: 'binary_operator',
      all: [
        { has: { field: 'operator', regex: '^[+%]$' } },
        { has: { kind: 'string', stopBy: 'end' } },
        {
          has: {
            any: ['identifier', 'attribute', 'call', 'subscript', 'tuple'].map((kind) => ({ kind })),
            stopBy: { kind: 'string' },
          },
        },
      ],
    },
    { pattern: '$TEXT.format($$$VALUES)' },
  ],
};
const NAME: GrepNode = { kind: 'identifier' };
/** The text of a file of the program, as in `setup.py`, or code that Python compiled. */
const OWN_CODE = 'open\\(|\\.read\\(|read_text|compile\\(|\\b__?version|get_data\\(';
/** `regex` matches, and nothing says that the data comes from somebody else. */
const ownOnly = (regex: string): GrepNode => ({ all: [{ regex }, { not: { regex: FOREIGN_DATA } }] });
const NOT_LITERAL: GrepNode = { not: { kind: 'string', not: { has: { kind: 'interpolation' } } } };
/** What the program stored itself is as safe as its store. */
const OWN_STORE =
  '(?i)redis|cache|row\\b|store|storage|session|state|\\bself\\b|\\bdb\\b|database|cursor|open\\(|\\.read\\(|\\.get\\(';
const SQL =
  '^\\(?\\s*[a-zA-Z]{0,2}("""|\'\'\'|"|\')\\s*(?i:select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s)';

export const PYTHON_INJECTION_RULES: readonly StructuralRule[] = [
  {
    id: 'py-eval',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Computed string is run as code',
    explanation:
      'Anyone who controls the string can run code in this process. Use `ast.literal_eval`, `json.loads` or a table of functions.',
    rule: {
      any: [
        { pattern: 'eval($CODE)' },
        { pattern: 'exec($CODE)' },
        { pattern: 'eval($CODE, $$$REST)' },
        { pattern: 'exec($CODE, $$$REST)' },
      ],
    },
    constraints: { CODE: { all: [NOT_LITERAL, { not: ownOnly(OWN_CODE) }] } },
    builds: { for: 'code', from: 'CODE', unknown: 'counts' },
    graveIf: 'outside or parameter',
    where: 'production',
    examples: [
      { code: "def f(request):\n    eval(request.args.get('sum'))\n", lines: [2] },
      { code: 'exec(open("src/version.py").read())\nexec(compile(tree, name, "exec"), scope)\n', lines: [] },
      { code: 'def f(x):\n    return eval(x)\n', lines: [2] },
      { code: 'exec(request.files["code"].read())\n', lines: [1] },
      { code: 'exec(f"run_{name}()")\n', lines: [1] },
      { code: 'import ast\nast.literal_eval(x)\nmodel.eval()\ncursor.exec(x)\n', lines: [] },
    ],
  },
  {
    id: 'py-shell-by-string',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Pass a list of arguments and do not set `shell`.',
    rule: {
      any: [
        { pattern: 'os.system($CMD)' },
        { pattern: 'os.popen($CMD)' },
        {
          pattern: 'subprocess.$RUN($CMD, $$$REST)',
          has: { kind: 'argument_list', has: { kind: 'keyword_argument', regex: '^shell\\s*=\\s*True$' } },
        },
      ],
    },
    constraints: { CMD: { any: [COMPOSED, NAME] } },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside or parameter',
    where: 'production',
    examples: [
      { code: "url = request.args['url']\nos.system('git clone ' + url)\n", lines: [2] },
      { code: 'command = "rm -rf " + path\nos.system(command)\n', lines: [2] },
      { code: 'folder = "/srv/a"\nos.system(f"ls {folder}")\nos.system("kill %d" % pid)\n', lines: [] },
      { code: 'os.system("rm -rf " + path)\n', lines: [1] },
      { code: 'subprocess.run(f"git clone {url}", shell=True, check=True)\n', lines: [1] },
      { code: 'subprocess.check_output("ls %s" % path, shell=True)\n', lines: [1] },
      { code: 'subprocess.run(["git", "clone", url], check=True)\nos.system("clear")\n', lines: [] },
      { code: 'os.system(f"ls {shlex.quote(path)}")\n', lines: [] },
    ],
  },
  {
    id: 'py-unsafe-deserialise',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Deserialiser can run code from its input',
    explanation:
      'A crafted document can run any code while it is loaded. Use JSON or another data-only format, or verify a signature before loading.',
    rule: {
      any: [
        { pattern: '$MODULE.loads($DATA, $$$REST)' },
        { pattern: '$MODULE.loads($DATA)' },
        { pattern: 'jsonpickle.decode($DATA)' },
      ],
    },
    constraints: {
      MODULE: { regex: '^(pickle|cPickle|_pickle|cloudpickle|dill|marshal)$' },
      DATA: { not: { any: [{ pattern: 'pickle.dumps($$$ANY)' }, ownOnly(OWN_STORE)] } },
    },
    graveIf: 'outside or parameter',
    graveOn: 'DATA',
    where: 'production',
    examples: [
      { code: 'session = pickle.loads(redis.get(key))\nstate = pickle.loads(row.state)\n', lines: [] },
      {
        code: 'job = pickle.loads(base64.b64decode(cookie))\ndef load(data):\n    return pickle.loads(data)\n',
        lines: [1, 3],
      },
      { code: 'user = pickle.loads(request.data)\nrow = pickle.loads(request.args.get("row"))\n', lines: [1, 2] },
      { code: 'user = json.loads(request.data)\ncopy = pickle.loads(pickle.dumps(user))\n', lines: [] },
    ],
  },
  {
    id: 'py-yaml-load',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'yaml.load can build arbitrary objects',
    explanation: 'Without a safe loader, a document can name any class and run code. Use `yaml.safe_load`.',
    rule: {
      any: [
        { pattern: 'yaml.load($DATA)' },
        { pattern: 'yaml.unsafe_load($DATA)' },
        { pattern: 'yaml.load($DATA, Loader=yaml.Loader)' },
        { pattern: 'yaml.load($DATA, Loader=yaml.UnsafeLoader)' },
      ],
      // The package ruamel.yaml is safe by default.
      not: { inside: { kind: 'module', stopBy: 'end', regex: '\\bruamel\\b|\\byaml\\s*=\\s*YAML\\(' } },
    },
    fix: 'yaml.safe_load($DATA)',
    where: 'production',
    examples: [
      { code: 'from ruamel.yaml import YAML\nyaml = YAML()\nyaml.load(s)\n', lines: [] },
      { code: 'def f(s):\n    return yaml.load(s)\n', lines: [2], suggestion: '    return yaml.safe_load(s)' },
      { code: 'yaml.safe_load(s)\nyaml.load(s, Loader=yaml.SafeLoader)\n', lines: [] },
    ],
  },
  {
    id: 'py-sql-concat',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Pass the value as a parameter of `execute`.',
    rule: {
      any: [
        { pattern: '$CURSOR.$METHOD($SQL)' },
        { pattern: '$CURSOR.$METHOD($SQL, $$$REST)' },
        { pattern: 'text($SQL)' },
      ],
    },
    constraints: {
      METHOD: {
        regex: '^(execute|executemany|executescript|raw|text|read_sql|read_sql_query|fetch|fetchrow|fetchval)$',
      },
      SQL: {
        any: [
          { all: [COMPOSED, { regex: SQL }, { not: { regex: '(?i)placeholder|sql\\.Identifier|sql\\.SQL' } }] },
          NAME,
        ],
      },
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: "def f(cursor, name, part):\n    cursor.execute(\"SELECT a FROM b WHERE c = '%s'\" % name)\n    cursor.execute(\"SELECT a FROM b WHERE c = '%s'\" % other)\n    cursor.execute(f'SELECT a FROM b WHERE c = {part}')\n",
        lines: [2, 3, 4],
        mild: [3, 4],
      },
      {
        code: 'def f(name):\n    sql = f"SELECT * FROM users WHERE name = \'{name}\'"\n    cursor.execute(sql)\n',
        lines: [3],
      },
      { code: 'cursor.execute("SELECT * FROM %s LIMIT %d" % (table_name, limit))\n', lines: [] },
      { code: 'cursor.execute(f"SELECT * FROM users WHERE id = {user_id}")\n', lines: [1], mild: [1] },
      { code: 'cursor.execute("DELETE FROM users WHERE name = \'%s\'" % name)\n', lines: [1], mild: [1] },
      { code: 'cursor.execute("SELECT * FROM users WHERE id = {}".format(user_id))\n', lines: [1], mild: [1] },
      {
        code: 'cursor.execute("SELECT * FROM users WHERE id = %s", (user_id,))\npool.execute(f"task {name}")\n',
        lines: [],
      },
    ],
  },
];
