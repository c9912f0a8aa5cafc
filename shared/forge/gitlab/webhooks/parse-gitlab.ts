/**
 * Events are distinguished by `object_kind`, because every system hook has the same header.
 * https://docs.gitlab.com/user/project/integrations/webhook_events/
 */
import { z } from 'zod';
import type { ParsedDelivery } from '../../../webhooks/event.ts';
import { ignored, OptionalText } from '../../../webhooks/fields.ts';
import { parseEmoji, parseNote } from './discussion.ts';
import { parseMergeRequest } from './merge-request.ts';
import { parsePipeline } from './pipeline.ts';
import { type DeliveryHeaders, readHeader } from '../../../webhooks/headers.ts';

const Kind = z.object({ object_kind: OptionalText }).catch({ object_kind: '' });

export const parseGitlab = (headers: DeliveryHeaders, body: unknown): ParsedDelivery => {
  if (readHeader(headers, 'x-gitlab-event') === null) return ignored('the delivery comes from another kind of forge');
  switch (Kind.parse(body).object_kind) {
    case 'merge_request':
      return parseMergeRequest(body);
    case 'note':
      return parseNote(body);
    case 'emoji':
      return parseEmoji(body);
    case 'pipeline':
      return parsePipeline(body);
    default:
      return ignored('the event is not about a change request');
  }
};
