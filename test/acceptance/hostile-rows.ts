/** Rows G and C of the acceptance matrix: hostile repositories, and the settings by which a repository affects its reviews. */
import { by, type Proof, proved } from './named-test.ts';

const GIT = 'test/shared/workspace/git/git.test.ts';
const LOCAL = 'test/shared/workspace/local/local.test.ts';
const MIRROR = 'test/shared/workspace/mirror/mirror.test.ts';
const REVISIONS = 'test/shared/workspace/git/revisions.test.ts';
const CHECKOUT = 'test/shared/workspace/tree/checkout.test.ts';
const LAWS = 'test/shared/workspace/laws.test.ts';
const DIFFS = 'test/shared/diff/real-repository.test.ts';
const PLANTS = 'test/acceptance/hostile-plants.test.ts';
const TREES = 'test/acceptance/hostile-trees.test.ts';

const REPOSITORIES: Readonly<Record<string, Proof>> = {
  G1: proved(
    by(GIT, 'G1 is not led astray by a repository inside the tree'),
    by(LOCAL, 'G1 does not take a bare repository inside the tree for one'),
    by('test/shared/workspace/bash-attacks-on-git.ts', 'git -C emb status'),
    by('test/shared/workspace/bash-attacks.ts', 'cd emb', 'git ls-tree HEAD emb/'),
    by('test/shared/agent/bash-tool.test.ts', 'T6: takes what looks dangerous and is not, without effect, in the cage'),
  ),
  G2: proved(
    by(GIT, 'G2 G3 runs nothing that a poisoned configuration names, in any reading command'),
    by(PLANTS, 'G2: no command that is ever run runs what configuration, attributes and hooks name'),
    by('test/shared/workspace/git/same-input.test.ts', 'G2 runs no merge driver that the repository names'),
  ),
  G3: proved(
    by(PLANTS, 'G3: a review of a mirror in which somebody plants', 'G3: a fix in a mirror in which somebody plants'),
    by(PLANTS, 'G3: a mirror that is made to point elsewhere between two jobs is read where it lies'),
    by(MIRROR, 'runs nothing between jobs, and is gone after the next fetch', 'runs nothing when it is planted inside'),
    by(LOCAL, 'G3 runs nothing that its configuration names'),
  ),
  G4: proved(
    by(TREES, 'G4: with a thousand submodules of evil addresses fetches none of them'),
    by(REVISIONS, 'G4 shows a submodule as its commit and fetches nothing'),
    by(CHECKOUT, 'G4 names a submodule instead of fetching it'),
  ),
  G5: proved(
    by(MIRROR, 'G5 addresses', 'an option', 'an escaped parent folder', 'follows no redirect'),
    by(GIT, 'G5 allows no protocol unless it is told to'),
  ),
  G6: proved(
    by(TREES, 'is in no argument, environment, file, log line, draft or trace of git'),
    by(TREES, 'is in no error of a fetch that is refused'),
    by(MIRROR, 'authenticates, and is in no argument, environment or file'),
    by(GIT, 'G6 dies on a credential in an address before anything is sent'),
  ),
  G7: proved(
    by(TREES, 'G7: that asks for LFS calls no server of it, and reads pointers as text'),
    by(MIRROR, 'fetch nothing beside the repository'),
  ),
  G8: proved(
    by(TREES, 'G8: of ten billion paths is too large within 15 s and 300 MB'),
    by(REVISIONS, 'G8 a tree of ten billion paths', 'G8 a chain of folders without end is cut'),
    by(CHECKOUT, 'G8 lays down at most the cap of a tree bomb, and says that there is more'),
    by('test/services/reviewer/review.test.ts', 'asks nobody about a change that is too large as a whole'),
  ),
  G9: proved(
    by(TREES, 'G9: with files too large to look at names each of them, and reviews the rest'),
    by(TREES, 'G9: of twenty thousand files says so instead of reviewing some of them'),
    by(REVISIONS, 'G9 says that a patch is too large instead of giving a part of it', 'G9 counts changed files only'),
    by(CHECKOUT, 'G9 skips what is too large, alone or in all, and names it'),
  ),
  G10: proved(
    by(TREES, 'G10: goes by the ids of commits, whatever branches and tags are called'),
    by(TREES, 'G10: never reviews another head than the forge told'),
    by(MIRROR, 'G10 says when the head has moved, and to what', 'G10 notices a force-push between the question'),
    by(MIRROR, 'G10 goes by exact names where branches and tags imitate them'),
    by('test/shared/workspace/push.test.ts', 'G10, I11:'),
  ),
  G11: proved(
    by(LAWS, 'G11 is complete: applied to the merge base it gives the head'),
    by(REVISIONS, 'G11 says so when histories are unrelated', 'G11 keeps renames, modes, line ends and odd names'),
    by(DIFFS, 'random edits in real repositories'),
  ),
};

const AGENT = 'test/services/reviewer/runners/agent.test.ts';
const REVIEW = 'test/services/reviewer/rules/read-repository-settings.test.ts';
const PARSED = 'test/shared/config/repository/repository-settings.test.ts';
const STORY = 'test/integration/repository-settings.test.ts';
const DECIDED = 'test/shared/rounds/model/repository-rules.test.ts';

const SETTINGS: Readonly<Record<string, Proof>> = {
  C1: proved(
    by(AGENT, 'C1: takes guidelines from the target branch', 'C1, G15: is told language and instructions'),
    by('test/services/reviewer/rules/guidelines.test.ts', 'are what the target branch says, byte for byte'),
    by(REVIEW, 'C1: are those of the target branch', 'C1: are the same when the change deletes, links or renames'),
    by(REVIEW, 'C1: are named, with what becomes of them'),
    by(STORY, 'C1, C6, G15:'),
    by('test/services/cli/review/review.test.ts', 'C1: obeys the settings of the base'),
  ),
  C2: proved(by(REVIEW, 'C2: are none while only the change has them')),
  C4: proved(
    by(PARSED, 'C4: are none where the file has %s', 'C4: are read within 100 ms'),
    by(REVIEW, 'C4: are none where the file is %s', 'C4: are none where the file is a link or a submodule'),
    by('test/services/reviewer/rules/guidelines.test.ts', 'aliases that multiply'),
  ),
  C5: proved(
    by(REVIEW, 'C5: hostile patterns', 'are matched in time that grows with path and pattern only, or refused'),
    by(REVIEW, 'filter no more once they have cost too much'),
    by(PARSED, 'a flood of stars'),
  ),
  C6: proved(
    by(PARSED, 'C6: leave %j to the operator'),
    by(REVIEW, 'C6: cannot take out of review what gives orders', 'C6: lower limits of the operator and never raise'),
    by(DECIDED, 'C6: are never more than the operator allows'),
    by('test/shared/rounds/gate/gate.test.ts', 'C6: says with the floor %s what is as grave as that'),
  ),
  C7: proved(by(REVIEW, 'C7: are refused as a whole for %s, which is told to nobody')),
};

export const HOSTILE_ROWS: Readonly<Record<string, Proof>> = { ...REPOSITORIES, ...SETTINGS };
