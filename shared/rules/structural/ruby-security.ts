import { FOREIGN_DATA } from '../model/foreign-data.ts';
import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { firstArgument, method, RUBY, RUBY_REQUEST_RULES } from './ruby-request.ts';
import { protectsSecret } from './weak-hash.ts';

const INTERPOLATED: GrepNode = { kind: 'string', has: { kind: 'interpolation' } };
const NAME: GrepNode = { kind: 'identifier' };
const JOINED: GrepNode = {
  kind: 'binary',
  all: [{ has: { field: 'operator', regex: '^\\+$' } }, { has: { kind: 'string', stopBy: 'end' } }],
};

const PROTECTS_SECRET = protectsSecret(['assignment', 'call', 'return'], ['method']);

export const RUBY_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'rb-eval',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Computed string is run as code',
    explanation:
      'Anyone who controls the string can run code in this process. Use `public_send` with a list of allowed names, or parse the data.',
    rule: {
      kind: 'call',
      all: [
        method('^(eval|instance_eval)$'),
        { not: { has: { field: 'receiver', regex: '(?i)context|engine|runtime|sandbox' } } },
        // A template, whose file and line are named for its errors.
        {
          not: {
            regex: '\\binstance_eval\\b',
            has: { field: 'arguments', has: { nthChild: 2, regex: '(?i)file|path|line' } },
          },
        },
        firstArgument({
          any: [INTERPOLATED, { kind: 'identifier' }, { kind: 'call' }, { kind: 'element_reference' }],
          // The text of a file of the program.
          not: {
            regex: '\\b(File|IO|Pathname)\\.|\\.read\\b|^(?:ERB|Erubis?|Haml|Slim|Tilt)\\b',
            not: { regex: FOREIGN_DATA },
          },
        }),
      ],
    },
    builds: { for: 'code', from: 'ARGUMENT', unknown: 'counts' },
    graveIf: 'outside or parameter',
    where: 'production',
    examples: [
      { code: 'def f(x)\n  eval(x)\nend\neval(request.body.read)\n', lines: [2, 4] },
      {
        code: 'def f(x)\n  eval(x.sub("t(", "I18n.t("))\n  rules = @rules.join\n  eval(rules)\nend\n',
        lines: [2, 4],
        mild: [4],
      },
      { code: 'command = "reload"\neval(command)\n', lines: [] },
      {
        code: 'scope.instance_eval source, eval_file, line\nbinding.eval(Erubi::Engine.new(content).src)\neval(APP_CONFIG["time"]["value"])\n',
        lines: [],
      },
      { code: 'a.update(eval(ARGV.shift))\ndef f(x)\n  eval(Base64.decode64(x))\nend\n', lines: [1, 3], mild: [1] },
      { code: 'def f(x)\n  instance_eval(x)\nend\ninstance_eval(params[:rule])\n', lines: [2, 4] },
      { code: 'klass.class_eval "def #{name}; end"\ninstance_eval(File.read(gemfile))\n', lines: [] },
      { code: 'klass.class_eval do\n  attr_reader :a\nend\nevaluate(x)\n', lines: [] },
    ],
  },
  {
    id: 'rb-shell-by-string',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Pass the program and its arguments separately, as in `system("git", "clone", url)`.',
    rule: {
      any: [
        {
          kind: 'call',
          not: { has: { field: 'receiver', regex: '.' } },
          all: [
            method('^(system|exec|spawn)$'),
            {
              has: {
                field: 'arguments',
                has: { pattern: '$CMD', any: [INTERPOLATED, JOINED, NAME], nthChild: 1 },
                not: { has: { nthChild: 2, regex: '.', not: { kind: 'pair' } } },
              },
            },
          ],
        },
        {
          kind: 'call',
          all: [
            { has: { field: 'receiver', regex: '^(Open3|IO|Kernel)$' } },
            method('^(capture2|capture2e|capture3|popen|popen3|system)$'),
            {
              has: {
                field: 'arguments',
                has: { pattern: '$CMD', any: [INTERPOLATED, JOINED, NAME], nthChild: 1 },
                not: { has: { nthChild: 2, regex: '.', not: { kind: 'pair' } } },
              },
            },
          ],
        },
        { kind: 'subshell', pattern: '$CMD', has: { kind: 'interpolation' } },
      ],
    },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside or parameter',
    where: 'production',
    examples: [
      { code: 'url = params[:url]\nsystem("git clone #{url}")\n', lines: [2] },
      { code: 'system("git clone #{url}")\n', lines: [1] },
      {
        code: 'def run(name)\n  system("ls " + name)\n  system("ls " + Shellwords.escape(name))\n  system("ls " + "-l")\nend\n',
        lines: [2],
      },
      { code: 'out = `ls #{path}`\n', lines: [1] },
      {
        code: 'class A\n  def run(name)\n    `ls #{name}`\n    `ls #{folder}`\n    system("#{tool} ls")\n    list.each { |item| `rm #{item}` }\n    `ls #{asked}`\n  end\n\n  def tool\n    yaml["tool"] || "tmux"\n  end\n\n  def asked\n    params[:folder]\n  end\nend\n',
        lines: [3, 4, 5, 6, 7],
        mild: [4, 5],
      },
      { code: 'name = ARGV[0]\nsystem("ls #{name}")\nsystem("$EDITOR #{path}")\n', lines: [2], mild: [2] },
      { code: 'system("git", "clone", url)\nout = `date`\nsystem("ls #{path.shellescape}")\n', lines: [] },
    ],
  },
  {
    id: 'rb-sql-interpolation',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Use `where(name: value)` or a placeholder.',
    rule: {
      kind: 'call',
      all: [
        method('^(where|find_by_sql|execute|exec_query|select_all|delete_by|having|count_by_sql|joins|exists\\?)$'),
        { has: { field: 'receiver', regex: '.' } },
        firstArgument({
          all: [
            INTERPOLATED,
            {
              regex: '(?i)\\b(select|insert into|update|delete from)\\b|=\\s*[\'"]?#\\{|\\b(like|in)\\s*[\'"(]*%?#\\{',
            },
          ],
        }),
      ],
    },
    builds: { for: 'sql', from: 'ARGUMENT' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      { code: 'def find(name)\n  User.where("name = \'#{name.strip}\'")\nend\n', lines: [2] },
      { code: 'User.where("name = \'#{name}\'")\n', lines: [1], mild: [1] },
      { code: 'connection.execute("DELETE FROM users WHERE id = #{id}")\n', lines: [1], mild: [1] },
      {
        code: 'rows = connection.execute("select a from b where created_at >= \'#{period}\' and id = #{user.id}")\n',
        lines: [],
      },
      { code: 'User.where("name = ?", name)\nUser.where(name: name)\npool.execute("task #{id}")\n', lines: [] },
    ],
  },
  {
    id: 'rb-unsafe-deserialise',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Deserialiser can run code from its input',
    explanation:
      'A crafted document can build objects of any class. Use JSON, or `YAML.safe_load` with a list of allowed classes.',
    rule: {
      kind: 'call',
      any: [{ regex: '^(Marshal\\.(load|restore)|(YAML|Psych)\\.unsafe_load)\\(' }],
      // A copy of an object, and what the program stored itself.
      not: {
        regex:
          '(?i)^Marshal\\.load\\(Marshal\\.dump|^(YAML|Psych)\\.unsafe_load\\(\\w\\)$|cache|redis|file|store|\\.read\\b|config|fixture',
        not: { regex: FOREIGN_DATA },
      },
    },
    graveIf: 'outside',
    where: 'production',
    examples: [
      { code: 'user = YAML.unsafe_load(request.body.read)\n', lines: [1] },
      { code: 'user = Marshal.load(cookie)\n', lines: [1] },
      { code: 'user = YAML.unsafe_load(body)\nother = YAML.unsafe_load(raw)\n', lines: [1, 2], mild: [1, 2] },
      { code: 'user = Marshal.load(params[:file].read)\nuser = Marshal.load(request.body.read)\n', lines: [1, 2] },
      {
        code: 'user = Marshal.load(redis.get(key))\nlist = YAML.unsafe_load(File.read(path))\nv = YAML.unsafe_load(v)\n',
        lines: [],
      },
      { code: 'user = YAML.safe_load(body)\ncopy = Marshal.load(Marshal.dump(user))\n', lines: [] },
    ],
  },
  {
    id: 'rb-tls-not-verified',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Set `ca_file` to a private certificate authority instead.',
    rule: {
      pattern: 'OpenSSL::SSL::VERIFY_NONE',
      // Chosen by a setting.
      not: {
        inside: {
          any: ['conditional', 'if', 'unless', 'if_modifier', 'unless_modifier', 'case', 'hash'].map((kind) => ({
            kind,
          })),
          stopBy: { kind: 'method' },
        },
      },
    },
    fix: 'OpenSSL::SSL::VERIFY_PEER',
    where: 'production',
    examples: [
      {
        code: 'http.use_ssl = true\nhttp.verify_mode = OpenSSL::SSL::VERIFY_NONE\n',
        lines: [2],
        suggestion: 'http.verify_mode = OpenSSL::SSL::VERIFY_PEER',
      },
      { code: 'http.verify_mode = OpenSSL::SSL::VERIFY_PEER\n', lines: [] },
      {
        code: 'def ssl_context_without_verify\n  c = OpenSSL::SSL::SSLContext.new\n  c.verify_mode = OpenSSL::SSL::VERIFY_NONE\n  c\nend\n',
        lines: [],
      },
    ],
  },
  {
    id: 'rb-unescaped-html',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Computed text is marked as safe HTML',
    explanation:
      '`html_safe` disables escaping, so markup in the value runs as script. Build the HTML with `tag` or `safe_join`, or sanitise the value.',
    rule: {
      kind: 'call',
      all: [method('^html_safe$'), { has: { field: 'receiver', pattern: '$HTML', all: [INTERPOLATED] } }],
    },
    builds: { for: 'html', from: 'HTML' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      { code: '"<b>#{name}</b>".html_safe\n', lines: [1], mild: [1] },
      { code: 'title = params[:title]\n"<b>#{title}</b>".html_safe\n', lines: [2] },
      { code: '"<br>".html_safe\n"<b>#{h(name)}</b>".html_safe\n', lines: [] },
    ],
  },
  ...RUBY_REQUEST_RULES,
  {
    id: 'rb-weak-hash',
    languages: RUBY,
    severity: 'P2',
    blocking: false,
    title: 'MD5 or SHA-1 protects a secret',
    explanation:
      'Collisions are practical for MD5 and SHA-1, so neither protects passwords, tokens or signatures. Use SHA-256, HMAC or a password hash.',
    rule: {
      kind: 'call',
      regex: '^(OpenSSL::)?Digest::(MD5|SHA1)\\.(hexdigest|digest|base64digest|new)\\b',
      all: [PROTECTS_SECRET],
    },
    where: 'production',
    examples: [
      { code: 'token = Digest::MD5.hexdigest(user)\n', lines: [1] },
      { code: 'etag = Digest::MD5.hexdigest(body)\ntoken = Digest::SHA256.hexdigest(body)\n', lines: [] },
    ],
  },
];
