/**
 * Request bodies for incoming webhooks of chats. Untrusted text can neither mention anybody nor become a link; see
 * `chat-text.ts`.
 *
 * - Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, and for special characters
 *   https://docs.slack.dev/messaging/formatting-message-text
 * - Mattermost: https://developers.mattermost.com/integrate/webhooks/incoming/
 * - Matrix: the inbound webhooks of Hookshot, https://matrix-org.github.io/matrix-hookshot/latest/setup/webhooks.html
 */
import { breakMarks, linkTarget, oneLine } from './chat-text.ts';
import type { NotifyMessage } from './message.ts';

const inert = (text: string): string => breakMarks(oneLine(text));

const OPEN = 'Open';

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
const MAX_SLACK_SECTION = 3_000;

/** With `verbatim`, Slack does not turn words into links or channel names. */
export const slackBody = ({ title, text, url }: NotifyMessage): unknown => {
  const target = linkTarget(url);
  const link = target === null ? '' : `\n<${target}|${OPEN}>`;
  const words = `*${escapeForSlack(inert(title))}*\n${escapeForSlack(inert(text))}${link}`;
  return {
    text: words,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    ...(words.length > MAX_SLACK_SECTION
      ? {}
      : { blocks: [{ type: 'section', text: { type: 'mrkdwn', verbatim: true, text: words } }] }),
  };
};

/** ASCII punctuation may be escaped in Markdown: https://spec.commonmark.org/0.31.2/#backslash-escapes */
const escapeForMarkdown = (text: string): string => text.replace(/[\\*_{}[\]()#+.!<>~|-]/g, String.raw`\$&`);

export const mattermostBody = ({ title, text, url }: NotifyMessage): unknown => {
  const target = linkTarget(url);
  const link = target === null ? '' : `\n\n[${OPEN}](${target})`;
  return { text: `**${escapeForMarkdown(inert(title))}**\n\n${escapeForMarkdown(inert(text))}${link}` };
};

const escapeForHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** With `html`, Hookshot sends `text` unchanged and does not parse it as Markdown. */
export const matrixBody = ({ title, text, url }: NotifyMessage): unknown => {
  const target = linkTarget(url);
  const link = target === null ? '' : `<br><a href="${target}">${OPEN}</a>`;
  return {
    text: [inert(title), inert(text), ...(target === null ? [] : [target])].join('\n'),
    html: `<strong>${escapeForHtml(inert(title))}</strong><br>${escapeForHtml(inert(text))}${link}`,
  };
};
