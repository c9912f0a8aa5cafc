/** The pictures of README and guide: `npm run demo -- --screenshot` renews them all. */
import path from 'node:path';
import type { DemoState } from './page/demo-state.ts';
import { killPage } from './page/kill-page.ts';
import { stepPage } from './page/step-page.ts';
import { handoffPage, renderOpenSummary, renderReviewPage, type ReviewSight } from './review-page.ts';
import { type PictureWish, takePicture } from './take-picture.ts';
import { TEXT_GROUPS, textsPage } from './texts-page.ts';

export const PICTURE = 'deploy/guide/review.png';

/** What the pictures show: the second review, and the page of the demo after the story and a kill. */
export type Scene = { readonly review: ReviewSight; readonly state: DemoState };

export type Picture = Omit<PictureWish, 'browser'> & { readonly html: (scene: Scene) => string };

const withSuffix = (file: string, suffix: string): string => file.replace(/(\.png)?$/, `${suffix}.png`);

const SCHEMES = ['light', 'dark'] as const;

/** In CSS pixels: as on a desktop. */
const DEMO_WIDTH = 1120;

type Shot = { readonly name: string; readonly height: number; readonly html: (state: DemoState) => string };

/** The step in which the author objects, and the kill. Without a token, because nobody presses the button in a picture. */
const SHOTS: readonly Shot[] = [
  { name: 'demo', height: 1130, html: (state) => stepPage(state, 1) },
  { name: 'demo-kill', height: 950, html: (state) => killPage(state, '') },
];

const demoPictures = (folder: string): readonly Picture[] =>
  SHOTS.flatMap(({ name, height, html }) =>
    SCHEMES.map((scheme) => ({
      file: path.join(folder, `${name}-${scheme}.png`),
      scheme,
      width: DEMO_WIDTH,
      height,
      html: ({ state }: Scene) => html(state),
    })),
  );

const textPictures = (folder: string): readonly Picture[] =>
  TEXT_GROUPS.flatMap((group) =>
    SCHEMES.map((scheme) => ({
      file: path.join(folder, `texts-${group.name}-${scheme}.png`),
      scheme,
      html: () => textsPage(group),
    })),
  );

/** `file` is the picture of the review; the others are beside it. */
export const picturesFor = (file: string): readonly Picture[] => [
  { file, scheme: 'light', html: ({ review }) => renderReviewPage(review) },
  { file: withSuffix(file, '-summary'), scheme: 'light', html: ({ review }) => renderOpenSummary(review) },
  { file: withSuffix(file, '-handoff'), scheme: 'light', html: handoffPage },
  ...demoPictures(path.dirname(file)),
  ...textPictures(path.dirname(file)),
];

/** Returns the files. */
export const takeAllPictures = async (
  scene: Scene,
  { file, browser }: { readonly file: string; readonly browser: string },
): Promise<readonly string[]> => {
  const pictures = picturesFor(file);
  for (const { html, ...picture } of pictures) await takePicture(html(scene), { ...picture, browser });
  return pictures.map((picture) => picture.file);
};
