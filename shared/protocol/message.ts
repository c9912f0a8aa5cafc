import { z } from 'zod';
import { ReviewAddressedBody, ReviewFeedbackBody, ReviewLgtmBody, ReviewRequestBody } from './bodies.ts';
import { AUTH_FIELD, OPTIONAL_FIELDS, REQUIRED_FIELDS, TELEMETRY_FIELDS } from './envelope.ts';
import { MAX_BODY_LENGTH, printBody } from './print-body.ts';

const asked = { ...REQUIRED_FIELDS, ...OPTIONAL_FIELDS, ...AUTH_FIELD };
const done = { ...asked, ...TELEMETRY_FIELDS };

type Addressed = { readonly from: string; readonly to: string | readonly string[]; readonly body: object };

const isForOthers = ({ from, to }: Addressed): boolean => !recipientsOf({ to }).includes(from);
const bodyFits = ({ body }: Addressed): boolean => printBody(body).length <= MAX_BODY_LENGTH;

const FOR_OTHERS = { path: ['to'], message: 'names the sender; expected another name' };
const FITS = { path: ['body'], message: `is longer than ${MAX_BODY_LENGTH} characters` };

export const ReviewRequest = z
  .strictObject({ ...asked, type: z.literal('review_request'), body: ReviewRequestBody })
  .refine(isForOthers, FOR_OTHERS)
  .refine(bodyFits, FITS)
  .refine(({ related_pr: related, body }) => related === undefined || Number(related) === body.pr, {
    path: ['related_pr'],
    message: 'differs from body.pr',
  });
export type ReviewRequest = z.output<typeof ReviewRequest>;

export const ReviewFeedback = z
  .strictObject({ ...done, type: z.literal('review_feedback'), body: ReviewFeedbackBody })
  .refine(isForOthers, FOR_OTHERS)
  .refine(bodyFits, FITS);
export type ReviewFeedback = z.output<typeof ReviewFeedback>;

export const ReviewAddressed = z
  .strictObject({ ...done, type: z.literal('review_addressed'), body: ReviewAddressedBody })
  .refine(isForOthers, FOR_OTHERS)
  .refine(bodyFits, FITS);
export type ReviewAddressed = z.output<typeof ReviewAddressed>;

export const ReviewLgtm = z
  .strictObject({ ...done, type: z.literal('review_lgtm'), body: ReviewLgtmBody })
  .refine(isForOthers, FOR_OTHERS)
  .refine(bodyFits, FITS);
export type ReviewLgtm = z.output<typeof ReviewLgtm>;

export const MESSAGES = {
  review_request: ReviewRequest,
  review_feedback: ReviewFeedback,
  review_addressed: ReviewAddressed,
  review_lgtm: ReviewLgtm,
} as const;

export const ReviewMessage = z.discriminatedUnion('type', [ReviewRequest, ReviewFeedback, ReviewAddressed, ReviewLgtm]);
export type ReviewMessage = z.output<typeof ReviewMessage>;

export const recipientsOf = ({ to }: { readonly to: string | readonly string[] }): readonly string[] =>
  typeof to === 'string' ? [to] : to;
