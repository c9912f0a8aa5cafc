/** The pictures of README and guide: `npm run demo -- --screenshot` renews them all. */
import path from 'node:path';
import { handoffPage, renderOpenSummary, renderReviewPage, type ReviewSight } from './review-page.ts';
import { TEXT_GROUPS, textsPage } from './texts-page.ts';

export const PICTURE = 'deploy/guide/review.png';

export type Picture = {
  readonly file: string;
  readonly scheme: 'light' | 'dark';
  /** Its page, given the second round of the demo. */
  readonly html: (review: ReviewSight) => string;
};

const withSuffix = (file: string, suffix: string): string => file.replace(/(\.png)?$/, `${suffix}.png`);

const SCHEMES = ['light', 'dark'] as const;

/** `file` is the picture of the review; the others are beside it. */
export const picturesFor = (file: string): readonly Picture[] => [
  { file, scheme: 'light', html: renderReviewPage },
  { file: withSuffix(file, '-summary'), scheme: 'light', html: renderOpenSummary },
  { file: withSuffix(file, '-handoff'), scheme: 'light', html: handoffPage },
  ...TEXT_GROUPS.flatMap((group) =>
    SCHEMES.map((scheme) => ({
      file: path.join(path.dirname(file), `texts-${group.name}-${scheme}.png`),
      scheme,
      html: () => textsPage(group),
    })),
  ),
];
