import type { RuleFacts } from '../model/rule.ts';

const ROTATE =
  'Anyone who can read the repository, now or later, can use the secret, and deleting the line does not remove it from the history. Revoke the secret at its issuer first, then read the new secret from the environment or a secret store.';

const secret = (id: string, what: string): RuleFacts => ({
  id: `secret-${id}`,
  severity: 'P0',
  blocking: true,
  title: `${what} is committed`,
  explanation: ROTATE,
});

const likely = (id: string, what: string, explanation: string): RuleFacts => ({
  id: `secret-${id}`,
  severity: 'P1',
  blocking: true,
  title: what,
  explanation,
});

/** Secretlint's rules by the last part of their id. For a rule that is not listed, `OTHER_SECRET` is used. */
export const SECRETLINT_RULES: ReadonlyMap<string, RuleFacts> = new Map([
  ['aws', secret('aws', 'An AWS secret')],
  ['gcp', secret('gcp', 'A Google Cloud service account key')],
  ['privatekey', secret('private-key', 'A private key')],
  ['npm', secret('npm', 'An npm token')],
  ['basicauth', secret('url-password', 'A password inside a URL')],
  ['slack', secret('slack', 'A Slack token or webhook')],
  ['sendgrid', secret('sendgrid', 'A SendGrid key')],
  ['shopify', secret('shopify', 'A Shopify token')],
  ['github', secret('github', 'A GitHub token')],
  ['openai', secret('openai', 'An OpenAI key')],
  ['anthropic', secret('anthropic', 'An Anthropic key')],
  ['linear', secret('linear', 'A Linear key')],
  ['1password', secret('1password', 'A 1Password service account token')],
  ['database-connection-string', secret('connection-string', 'A database password')],
]);
export const OTHER_SECRET: RuleFacts = secret('other', 'A secret');

export type SecretPattern = {
  readonly rule: RuleFacts;
  /** Matching takes linear time. The group `secret` must not be shown. */
  readonly pattern: RegExp;
  /** Whether the value must also look random, because only its name suggests a secret. */
  readonly mustLookRandom: boolean;
  /** Whether tests, samples, prose and translations may contain such a secret. */
  readonly harmlessInTests: boolean;
  /** If the text around it matches, the value is meant to be public. */
  readonly publicIfNear?: RegExp;
  /** Whether the value itself says that it is meant to be public. */
  readonly isPublic?: (value: string) => boolean;
  /** Whether a line that shows how such a value is written, as in "something like", is none. */
  readonly mayBeShown?: true;
};

const certain = (id: string, what: string, pattern: RegExp): SecretPattern => ({
  rule: secret(id, what),
  pattern,
  mustLookRandom: false,
  harmlessInTests: false,
});

const CREDENTIAL = likely(
  'credential',
  'Hard-coded credential',
  `A value with this name and format is usually real. ${ROTATE} If this value is not a credential, use an obvious placeholder such as \`changeme\`.`,
);

const CLIENT_SECRET: RuleFacts = {
  id: 'secret-client-secret',
  severity: 'P2',
  blocking: false,
  title: 'OAuth client secret is in the code',
  explanation: `In a web application, it lets others act as this application. ${ROTATE} A program that users install cannot keep it secret: use PKCE there.`,
};

/** Keys that a web page sends to every visitor, and values that a comment tells to replace. */
const PUBLIC =
  /algolia|docsearch|indexname|search_?only|authdomain|messagingsenderid|measurementid|recaptcha|turnstile|publishable|site_?key|anon_?key|public_?key|\b(?:next_public|vite|react_app|expo_public|nuxt_public|gatsby|public)_|\bpk[._](?:live|test)|\benv(?:ironment)?\b.{1,9}['"]test['"]|@example|\breplace (?:it |this )?with\b|\bchange (?:this|it)\b|\bexample["']?\s{0,3}[:=]|\be\.g\.|\bplaceholder=/i;

/** What a token of a visitor without account claims, and one of an installation that everybody has. */
const PUBLIC_CLAIM = /"role"\s{0,3}:\s{0,3}"anon"|"iss"\s{0,3}:\s{0,3}"supabase-demo"|"name"\s{0,3}:\s{0,3}"John Doe"/;

const isPublicToken = (token: string): boolean =>
  PUBLIC_CLAIM.test(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('latin1'));

/** A comment that shows how an address is written. */
export const SHOWS_THE_FORM =
  /\b(?:something|looks?|written) like\b|\bfor (?:example|instance)\b|\be\.g\.|\bin the (?:form|format)\b|\bexamples?\s{0,3}:|\bformat\s{0,3}:/i;

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    rule: likely(
      'aws-key-id',
      'An AWS access key id is committed',
      `The id names an account, and its secret is often committed beside it or earlier. ${ROTATE}`,
    ),
    pattern: /(?<![A-Za-z0-9])(?<secret>A(?:KIA|SIA)[A-Z0-9]{16})(?![A-Za-z0-9])/g,
    mustLookRandom: false,
    harmlessInTests: false,
  },
  certain(
    'gitlab',
    'A GitLab token',
    /(?<![\w-])(?<secret>gl(?:pat|dt|rt|rtr|ptt|cbt|ft|imt|agent|soat|oas|ffct|wt)-[\w.-]{20,300})/g,
  ),
  certain(
    'forgejo',
    'A Forgejo or Gitea token',
    /(?:gitea|forgejo|codeberg)[\w.-]{0,40}(?:token|pat|key)["'\])]{0,2}\s{0,3}[:=]\s{0,3}["']?(?<secret>[0-9a-f]{40})(?![0-9a-z])/gi,
  ),
  {
    // Other servers ask for it in the same way, and so do their manuals.
    ...certain(
      'forgejo',
      'A Forgejo or Gitea token',
      /authorization["']?\s{0,3}[:,=]\s{0,3}["'`]?token (?<secret>[0-9a-f]{40})(?![0-9a-z])/gi,
    ),
    harmlessInTests: true,
  },
  {
    ...certain(
      'private-key',
      'A private key',
      /(?<secret>-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|[\s"'+,>|-]){0,40}[A-Za-z0-9+/=]{40,100}(?:(?:\\r|\\n|[\s"'+,>|-]){1,40}[A-Za-z0-9+/=]{1,100}){0,200})/g,
    ),
    harmlessInTests: true,
  },
  certain('stripe', 'A Stripe key', /(?<![\w-])(?<secret>[sr]k_live_[0-9a-zA-Z]{20,120})/g),
  certain('pypi', 'A PyPI token', /(?<![\w-])(?<secret>pypi-AgE[\w-]{50,300})/g),
  certain('docker', 'A Docker Hub token', /(?<![\w-])(?<secret>dckr_(?:pat|oat)_[\w-]{20,100})/g),
  certain('digitalocean', 'A DigitalOcean token', /(?<![\w-])(?<secret>do[opr]_v1_[a-f0-9]{64})/g),
  certain('hugging-face', 'A Hugging Face token', /(?<![\w-])(?<secret>hf_[A-Za-z]{34})(?![A-Za-z0-9])/g),
  certain('telegram', 'A Telegram bot token', /(?<![\w:])(?<secret>\d{8,10}:AA[\w-]{33})(?![\w-])/g),
  {
    rule: secret('connection-string', 'A database password'),
    pattern:
      /(?<![\w+])(?:redis|rediss|valkey|amqp|amqps|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|smtps?|ldaps?|ftps?|sftp):\/\/(?<secret>[^\s:@/"'`<>]{0,64}:[^\s@/"'`<>]{3,128}@[\w.-]{1,128})/g,
    mustLookRandom: false,
    harmlessInTests: true,
    mayBeShown: true,
  },
  {
    rule: likely(
      'jwt',
      'A signed token (JWT) is committed',
      `Until the token expires, it grants the access that it was issued for. ${ROTATE}`,
    ),
    pattern: /(?<![\w.-])(?<secret>eyJ[\w-]{10,600}\.eyJ[\w-]{10,3000}\.[\w-]{20,1000})/g,
    mustLookRandom: false,
    harmlessInTests: true,
    publicIfNear: PUBLIC,
    isPublic: isPublicToken,
  },
  {
    rule: CREDENTIAL,
    pattern:
      /(?:pass(?:word|wd|phrase)|pwd|(?<!client[_-]?)secret|api[_-]?key|(?:access|private|secret|encryption|signing|account)[_-]?key)["'`\])]{0,3}\s{0,3}(?::\s{0,3}(?:&(?:'static )?)?[A-Za-z]{1,12}\s{0,3})?(?:=>|:=|[:=])\s{0,3}["'`](?<secret>[^"'`\s]{8,200})["'`]/gi,
    mustLookRandom: true,
    harmlessInTests: true,
    publicIfNear: PUBLIC,
  },
  {
    rule: CLIENT_SECRET,
    pattern:
      /client[_-]?secret["'`\])]{0,3}\s{0,3}(?::\s{0,3}(?:&(?:'static )?)?[A-Za-z]{1,12}\s{0,3})?(?:=>|:=|[:=])\s{0,3}["'`](?<secret>[^"'`\s]{8,200})["'`]/gi,
    mustLookRandom: true,
    harmlessInTests: true,
    publicIfNear: PUBLIC,
  },
  {
    rule: CREDENTIAL,
    pattern:
      /token["'`\])]{0,3}\s{0,3}(?::\s{0,3}(?:&(?:'static )?)?[A-Za-z]{1,12}\s{0,3})?(?:=>|:=|[:=])\s{0,3}["'`](?<secret>[^"'`\s]{20,200})["'`]/gi,
    mustLookRandom: true,
    harmlessInTests: true,
    publicIfNear: PUBLIC,
  },
  {
    rule: CREDENTIAL,
    pattern:
      /^[ \t]{0,40}(?:export |set |ENV |ARG |- )?[A-Z][A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY)=(?<secret>[^\s"'`$<{(]{10,200})\r?$/gm,
    mustLookRandom: true,
    harmlessInTests: true,
    publicIfNear: PUBLIC,
  },
];

export const SECRET_RULES: readonly RuleFacts[] = [
  ...new Map(
    [...SECRETLINT_RULES.values(), ...SECRET_PATTERNS.map(({ rule }) => rule), OTHER_SECRET].map((rule) => [
      rule.id,
      rule,
    ]),
  ).values(),
];
