import { stringify } from 'yaml';
import type { z } from 'zod';
import { checkShape } from './yaml/check-shape.ts';
import { FindingsPacket } from './findings-packet.ts';
import { HandoffPacket } from './handoff-packet.ts';
import { PLAIN_YAML } from './print-body.ts';
import type { Problem } from './yaml/problem.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { textKeysOf } from './yaml/text-keys.ts';
import { ReviewPacket } from './review-packet.ts';

export type PacketReading<Packet> =
  | { readonly kind: 'packet'; readonly packet: Packet }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

const parsePacket = <Packet>(text: string, schema: z.ZodType<Packet>): PacketReading<Packet> => {
  const textKeys = textKeysOf(schema);
  const yaml = readYaml({ text, textKeys });
  if (yaml.kind === 'refused') return yaml;
  const shaped = checkShape({ schema, value: yaml.value, lineOf: yaml.places.lineOf });
  return shaped.kind === 'shaped'
    ? { kind: 'packet', packet: shaped.value }
    : { kind: 'refused', problems: shaped.problems };
};

export const parseFindingsPacket = (text: string): PacketReading<FindingsPacket> => parsePacket(text, FindingsPacket);

export const parseHandoffPacket = (text: string): PacketReading<HandoffPacket> => parsePacket(text, HandoffPacket);

export const parseReviewPacket = (text: string): PacketReading<ReviewPacket> => parsePacket(text, ReviewPacket);

export const printPacket = (packet: FindingsPacket | HandoffPacket | ReviewPacket): string =>
  stringify(packet, PLAIN_YAML);
