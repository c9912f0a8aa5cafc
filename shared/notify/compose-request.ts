/** Builds the request that sends one event to a receiver of a given kind. */
import type { ReceiverKind } from '../vocabulary/notify.ts';
import { matrixBody, mattermostBody, slackBody } from './chat-bodies.ts';
import { eventId } from './event-id.ts';
import type { NotifyAbout, NotifyEvent } from './event.ts';
import { jsonBody } from './json-body.ts';
import { messageOf } from './message.ts';
import { signedHeaders } from './sign.ts';

export type Composing = {
  readonly kind: ReceiverKind;
  readonly event: NotifyEvent;
  readonly about: NotifyAbout;
  /** The signing secret. Null when the request is not signed. */
  readonly secret: string | null;
  readonly sentAtMs: number;
};

export type ComposedRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

export const composeRequest = (composing: Composing): ComposedRequest => {
  const { event, secret, sentAtMs } = composing;
  const body = JSON.stringify(bodyOf(composing));
  const signed = secret === null ? {} : signedHeaders({ id: eventId(event), sentAtMs, body, secret });
  return { headers: { 'content-type': 'application/json', 'user-agent': 'fixpoint', ...signed }, body };
};

const bodyOf = ({ kind, event, about }: Composing): unknown => {
  switch (kind) {
    case 'json':
      return jsonBody(event, about);
    case 'slack':
      return slackBody(messageOf(event, about));
    case 'mattermost':
      return mattermostBody(messageOf(event, about));
    case 'matrix':
      return matrixBody(messageOf(event, about));
    default:
      return kind satisfies never;
  }
};
