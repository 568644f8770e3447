/** The tools for a merge that stopped: show the conflicts, try and take a resolution, go on or give up. */

import { ToolError, tool } from '@portico/sdk/server'
import { toShown } from '../../text/difference.ts'
import { ask, authorEnvironment, change, RISKY, requireSame, SAFE } from '../change.ts'
import { BINARY, previewOf, readConflicts, requireConflict, resolve, textOf } from '../conflicts.ts'
import type { GitHost } from '../host.ts'
import { readStatus } from '../reports.ts'
import type { Repository } from '../repository.ts'
import { ANY_PATH, REPOSITORY, STATUS, TRUNCATED } from '../shapes.ts'
import { isMerging } from '../staging.ts'
import { requireWayBack } from '../unsaved/in-the-way.ts'

const READS = { readOnly: true, idempotent: true, openWorld: false } as const
const ONLY_REPOSITORY = { type: 'object', properties: { repository: REPOSITORY }, additionalProperties: false } as const
const TEXT = { type: 'string' } as const

export function createConflictReadTools(host: GitHost) {
  return { conflicts: createConflicts(host), preview_resolution: createPreviewResolution(host) }
}

export function createConflictWriteTools(host: GitHost) {
  return {
    resolve_conflict: createResolveConflict(host),
    continue_merge: createContinueMerge(host),
    abort_merge: createAbortMerge(host),
  }
}

const CONFLICTS = {
  type: 'object',
  properties: {
    merging: { type: 'boolean', description: 'Whether a merge is under way' },
    files: {
      type: 'array',
      description: 'The files in conflict',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The file' },
          ours: { enum: ['present', 'deleted'], description: 'What our side did' },
          theirs: { enum: ['present', 'deleted'], description: 'What their side did' },
        },
        required: ['path', 'ours', 'theirs'],
        additionalProperties: false,
      },
    },
    base: { ...TEXT, description: 'The common ancestor; absent where there is none' },
    ours: { ...TEXT, description: 'Our side; absent where it deleted the file' },
    theirs: { ...TEXT, description: 'Their side; absent where it deleted the file' },
    truncated: TRUNCATED,
  },
  required: ['merging', 'files', 'truncated'],
  additionalProperties: false,
} as const

function createConflicts(host: GitHost) {
  return tool(
    {
      title: 'Show conflicts',
      description:
        'Lists the files that a merge left in conflict; given a path, shows what the common ancestor, our side and their side say.',
      input: {
        type: 'object',
        properties: { repository: REPOSITORY, path: { ...ANY_PATH, description: 'Show the sides of this file' } },
        additionalProperties: false,
      },
      output: CONFLICTS,
      ...READS,
    },
    async ({ repository, path }) => {
      const chosen = host.repository(repository)
      const { maxResults } = host.settings
      const found = path === undefined ? await readConflicts(chosen) : [await requireConflict(chosen, path)]
      const files = found.slice(0, maxResults).map(({ path: name, ours, theirs }) => ({
        path: name,
        ours: ours === undefined ? ('deleted' as const) : ('present' as const),
        theirs: theirs === undefined ? ('deleted' as const) : ('present' as const),
      }))
      const merging = await isMerging(chosen)
      const [only] = found
      if (path === undefined || only === undefined) return { merging, files, truncated: found.length > maxResults }
      const sides = await Promise.all([only.base, only.ours, only.theirs].map((side) => textOf(chosen, side)))
      if (sides.some(({ isBinary }) => isBinary)) throw new ToolError(`${path} is binary: take "ours" or "theirs"`)
      const [base, ours, theirs] = sides
      return {
        merging,
        files,
        ...(only.base && { base: base?.text ?? '' }),
        ...(only.ours && { ours: ours?.text ?? '' }),
        ...(only.theirs && { theirs: theirs?.text ?? '' }),
        truncated: sides.some(({ isCut }) => isCut),
      }
    },
  )
}

const RESOLUTION = {
  type: 'object',
  properties: {
    repository: REPOSITORY,
    path: { ...ANY_PATH, description: 'The file in conflict' },
    take: { enum: ['ours', 'theirs', 'content'], description: 'Our side, their side, or the text in "content"' },
    content: { type: 'string', maxLength: 1_000_000, description: 'The whole file as it shall be' },
  },
  required: ['path', 'take'],
  additionalProperties: false,
} as const

function createPreviewResolution(host: GitHost) {
  return tool(
    {
      title: 'Preview a resolution',
      description: 'Shows what resolve_conflict would make of a file, as a difference from our side. Changes nothing.',
      input: RESOLUTION,
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The file' },
          text: {
            type: 'string',
            description: 'The file as it would be; absent where it would be deleted or is binary',
          },
          diff: { type: 'string', description: 'From our side to the result' },
          truncated: TRUNCATED,
        },
        required: ['path', 'diff', 'truncated'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository, path, take, content }) => {
      const chosen = host.repository(repository)
      const checked = checkContent(take, content)
      const conflict = await requireConflict(chosen, path)
      return { path: conflict.path, ...(await previewOf(chosen, conflict, take, checked)) }
    },
  )
}

function createResolveConflict(host: GitHost) {
  return tool(
    {
      title: 'Resolve a conflict',
      description:
        'Settles a file in conflict with our side, their side or a text of your own, after asking, and stages it. Answers with the status.',
      input: RESOLUTION,
      output: STATUS,
      ...RISKY,
    },
    async ({ repository, path, take, content }, ctx) => {
      const chosen = host.repository(repository)
      const checked = checkContent(take, content)
      const conflict = await requireConflict(chosen, path)
      const preview = await previewOf(chosen, conflict, take, checked)
      const what = take === 'content' ? 'a text of the model’s' : `${take === 'ours' ? 'our' : 'their'} side`
      await ask(host, ctx, `Settle ${conflict.path} in ${chosen.name} with ${what}?`, shownOf(preview, conflict.path))
      return change(host, chosen, ctx, async () => {
        // Agreed was to this conflict, not to one that came in its place.
        const now = await requireConflict(chosen, path)
        requireSame(path, conflict, now)
        await resolve(chosen, conflict, take, checked)
      })
    },
  )
}

/** All of what a person agrees to; throws where that cannot be shown. */
function shownOf({ diff, text, truncated }: Awaited<ReturnType<typeof previewOf>>, path: string): string {
  if (diff === BINARY) return diff
  if (truncated) throw new ToolError(`${path} is too long to be shown whole. Resolve it by hand`)
  if (text === undefined) return 'The file is deleted.'
  return toShown(diff, text)
}

function checkContent(take: 'ours' | 'theirs' | 'content', content: string | undefined): string | undefined {
  if (take !== 'content') {
    if (content !== undefined) throw new ToolError('"content" goes with take: "content"')
    return undefined
  }
  if (content === undefined) throw new ToolError('Give the whole file in "content"')
  if (content.includes('\0')) throw new ToolError('Give a text without NUL characters')
  if (/^<{7} /m.test(content) && /^>{7} /m.test(content)) throw new ToolError('There are conflict marks in "content"')
  return content
}

function createContinueMerge(host: GitHost) {
  return tool(
    {
      title: 'Finish a merge',
      description: 'Commits a merge whose conflicts are all settled. Hooks do not run and nothing is signed.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          message: {
            type: 'string',
            minLength: 1,
            maxLength: 20_000,
            description: 'The one of the merge unless given',
          },
        },
        additionalProperties: false,
      },
      output: STATUS,
      idempotent: false,
      ...SAFE,
    },
    async ({ repository, message }, ctx) => {
      const chosen = host.repository(repository)
      if (message?.includes('\0')) throw new ToolError('Give a message without NUL characters')
      return change(host, chosen, ctx, async () => {
        await requireMerging(chosen)
        const { conflicted } = await readStatus(chosen, host.settings.maxResults)
        if (conflicted.length > 0) throw new ToolError(`Still in conflict: ${conflicted.join(', ')}`)
        const env = await authorEnvironment(host, chosen)
        const quiet = ['--quiet', '--allow-empty', '--no-verify', '--no-gpg-sign', '--cleanup=strip']
        const words = message === undefined ? ['--no-edit'] : ['--file=-']
        await chosen.run(['commit', ...quiet, ...words], { env, ...(message !== undefined && { input: message }) })
      })
    },
  )
}

function createAbortMerge(host: GitHost) {
  return tool(
    {
      title: 'Give up a merge',
      description: 'Puts everything back as it was before the merge, after asking: resolutions are lost.',
      input: ONLY_REPOSITORY,
      output: STATUS,
      ...RISKY,
    },
    async ({ repository }, ctx) => {
      const chosen = host.repository(repository)
      const merged = await mergedNow(chosen)
      const question = `Give up the merge of ${merged.slice(0, 12)} in ${chosen.name}? What was resolved so far is lost.`
      await ask(host, ctx, question)
      return change(host, chosen, ctx, async () => {
        requireSame('The merge', merged, await mergedNow(chosen))
        await requireWayBack(chosen)
        await chosen.run(['merge', '--abort'])
      })
    },
  )
}

/** What is being merged. */
async function mergedNow(repository: Repository): Promise<string> {
  await requireMerging(repository)
  return repository.commitOf('MERGE_HEAD')
}

async function requireMerging(repository: Repository): Promise<void> {
  if (!(await isMerging(repository))) throw new ToolError(`No merge is under way in ${repository.name}`)
}
