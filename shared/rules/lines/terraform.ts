import type { TextRule } from '../model/rule.ts';
import { type TerraformBlock, type TerraformLine, terraformLines } from './terraform-blocks.ts';

const where =
  (test: (line: TerraformLine) => boolean): TextRule['scan'] =>
  (lines) =>
    terraformLines(lines)
      .filter(test)
      .map(({ number }) => [number, number]);

const EVERYONE = /"(?:0\.0\.0\.0\/0|::\/0)"/;
const ADMIN_PORTS = [22, 3389];
const INBOUND = /^(?:ingress|resource aws_(?:security_group_rule|vpc_security_group_ingress_rule))$/;

const numberIn = ({ lines }: TerraformBlock, name: string): number | null => {
  const line = lines.find((each) => new RegExp(`^\\s*${name}\\s*=`).test(each));
  const value = line === undefined ? null : /=\s*"?(-?\d{1,5})"?\s*$/.exec(line);
  return value === null ? null : Number(value[1]);
};

/** True for an inbound rule that opens a port for administration, or all ports. */
const opensAdminPort = (block: TerraformBlock): boolean => {
  if (!INBOUND.test(block.type) || block.lines.some((line) => /^\s*type\s*=\s*"egress"/.test(line))) return false;
  const [from, to] = [numberIn(block, 'from_port'), numberIn(block, 'to_port')];
  return from !== null && to !== null && ADMIN_PORTS.some((port) => from <= port && port <= to) && to - from < 1024;
};

const opensFirewall = ({ type, lines }: TerraformBlock): boolean =>
  type === 'resource google_compute_firewall' &&
  lines.some((line) => /^\s*ports\s*=\s*\[[^\]]*"(?:22|3389)"/.test(line)) &&
  !lines.some((line) => /"EGRESS"/.test(line));

const inResource = ({ blocks }: TerraformLine, type: RegExp): boolean => blocks.some((block) => type.test(block.type));

const PASSWORD =
  /^\s*(?:password|master_password|admin_password|administrator_login_password|secret_key|access_key|client_secret|api_key|api_token)\s*=\s*"([^"$]{4,200})"\s*$/;
const NO_PASSWORD = /^(?:.*(?:change|dummy|placeholder|example|fake|sample|your|xxx|<|test|mock|replace).*)$/i;

const hasPassword = (line: TerraformLine): boolean => {
  const [, value] = PASSWORD.exec(line.text) ?? [];
  return value !== undefined && !NO_PASSWORD.test(value) && inResource(line, /^(?:resource|provider)\b/);
};

const allowsEverything = (line: TerraformLine): boolean => {
  const block = line.blocks.at(-1);
  if (block === undefined || !/^\s*"?(?:actions|Action)"?\s*[=:]\s*\[?\s*"\*"\s*\]?,?\s*$/.test(line.text))
    return false;
  const has = (pattern: RegExp): boolean => block.lines.some((each) => pattern.test(each));
  return has(/^\s*"?(?:resources|Resource)"?\s*[=:]\s*\[?\s*"\*"/) && !has(/"Deny"|^\s*(?:condition|"?Condition"?)\b/);
};

const PATH = 'infra/main.tf';
const resource = (type: string, body: string): string => `resource "${type}" "main" {\n${body}}\n`;
/** In two parts, so that no scanner takes the example for a leaked secret. */
const VALUE = ['k3v9', 'Qz81'].join('');

export const TERRAFORM_RULES: readonly TextRule[] = [
  {
    id: 'tf-open-admin-port',
    language: 'Terraform',
    severity: 'P1',
    blocking: true,
    title: 'Admin port is open to everyone',
    explanation:
      'The whole internet can try to log in over SSH or RDP. Allow only the addresses of a VPN or a bastion.',
    scan: where(
      ({ text, blocks }) =>
        EVERYONE.test(text) &&
        !/description/.test(text) &&
        blocks.some((block) => opensAdminPort(block) || opensFirewall(block)),
    ),
    where: 'production',
    examples: [
      {
        path: PATH,
        code: resource(
          'aws_security_group',
          '  ingress {\n    from_port   = 22\n    to_port     = 22\n    protocol    = "tcp"\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n',
        ),
        lines: [6],
      },
      {
        path: PATH,
        code: resource(
          'google_compute_firewall',
          '  source_ranges = ["0.0.0.0/0"]\n  allow {\n    protocol = "tcp"\n    ports    = ["22"]\n  }\n',
        ),
        lines: [2],
      },
      {
        path: PATH,
        code: resource(
          'aws_security_group',
          '  ingress {\n    from_port   = 443\n    to_port     = 443\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n  ingress {\n    from_port   = 22\n    to_port     = 22\n    cidr_blocks = ["10.0.0.0/8"]\n  }\n  egress {\n    from_port   = 22\n    to_port     = 22\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'tf-public-bucket',
    language: 'Terraform',
    severity: 'P1',
    blocking: true,
    title: 'Everyone can write to the bucket',
    explanation: 'Strangers can store files at your cost and replace yours. Use a private bucket and grant roles.',
    scan: where((line) => /^\s*acl\s*=\s*"public-read-write"/.test(line.text)),
    where: 'production',
    examples: [
      { path: PATH, code: resource('aws_s3_bucket_acl', '  acl = "public-read-write"\n'), lines: [2] },
      {
        path: PATH,
        code: resource('aws_s3_bucket_acl', '  acl = "private"\n  # acl = "public-read-write"\n'),
        lines: [],
      },
    ],
  },
  {
    id: 'tf-public-database',
    language: 'Terraform',
    severity: 'P1',
    blocking: true,
    title: 'Database is reachable from the internet',
    explanation: 'Only the password protects the data. Keep the database in private subnets.',
    scan: where(
      (line) =>
        /^\s*publicly_accessible\s*=\s*true\s*$/.test(line.text) &&
        inResource(
          line,
          /^resource aws_(?:db_instance|rds_cluster_instance|redshift_cluster|dms_replication_instance)$/,
        ),
    ),
    where: 'production',
    examples: [
      {
        path: PATH,
        code: resource('aws_db_instance', '  engine              = "postgres"\n  publicly_accessible = true\n'),
        lines: [3],
      },
      { path: PATH, code: resource('aws_db_instance', '  publicly_accessible = false\n'), lines: [] },
      { path: 'examples/main.tf', code: resource('aws_db_instance', '  publicly_accessible = true\n'), lines: [] },
    ],
  },
  {
    id: 'tf-secret',
    language: 'Terraform',
    severity: 'P1',
    blocking: true,
    title: 'Secret is written in the configuration',
    explanation:
      'Everyone who can read the repository knows the secret, and it stays in the history. Use a variable that is marked `sensitive`, or a secret store.',
    scan: where(hasPassword),
    where: 'production',
    examples: [
      { path: PATH, code: resource('aws_db_instance', `  username = "app"\n  password = "${VALUE}"\n`), lines: [3] },
      {
        path: PATH,
        code: `${resource('aws_db_instance', '  password = var.password\n')}variable "db" {\n  default = {\n    password = "example-only"\n  }\n}\n`,
        lines: [],
      },
    ],
  },
  {
    id: 'tf-allow-everything',
    language: 'Terraform',
    severity: 'P1',
    blocking: true,
    title: 'Policy allows every action on every resource',
    explanation:
      'Anyone with the role has full control of the account. List the actions and the resources that are needed.',
    scan: where(allowsEverything),
    where: 'production',
    examples: [
      {
        path: PATH,
        code: 'data "aws_iam_policy_document" "main" {\n  statement {\n    actions   = ["*"]\n    resources = ["*"]\n  }\n}\n',
        lines: [3],
      },
      {
        path: PATH,
        code: 'data "aws_iam_policy_document" "main" {\n  statement {\n    actions   = ["s3:GetObject"]\n    resources = ["*"]\n  }\n  statement {\n    effect    = "Deny"\n    actions   = ["*"]\n    resources = ["*"]\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'tf-not-encrypted',
    language: 'Terraform',
    severity: 'P2',
    blocking: true,
    title: 'Encryption of stored data is switched off',
    explanation: 'Snapshots and disks that leave your hands can be read. Remove the line or set it to true.',
    scan: where(
      (line) =>
        /^\s*(?:storage_encrypted|encrypted|at_rest_encryption_enabled|enable_disk_encryption)\s*=\s*false\s*$/.test(
          line.text,
        ) && inResource(line, /^resource\b/),
    ),
    where: 'production',
    examples: [
      { path: PATH, code: resource('aws_ebs_volume', '  encrypted = false\n'), lines: [2] },
      { path: PATH, code: resource('aws_ebs_volume', '  encrypted = var.encrypted\n'), lines: [] },
    ],
  },
  {
    id: 'tf-tls-not-verified',
    language: 'Terraform',
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read the credentials of this provider. Give the certificate authority instead.',
    scan: where(
      (line) =>
        /^\s*(?:insecure|insecure_skip_verify|insecure_skip_tls_verify|skip_tls_verify|tls_insecure|allow_unverified_ssl)\s*=\s*true\s*$/.test(
          line.text,
        ) && inResource(line, /^provider\b/),
    ),
    where: 'production',
    examples: [
      { path: PATH, code: 'provider "kubernetes" {\n  host     = var.host\n  insecure = true\n}\n', lines: [3] },
      { path: PATH, code: 'provider "kubernetes" {\n  host     = var.host\n  insecure = false\n}\n', lines: [] },
    ],
  },
];
