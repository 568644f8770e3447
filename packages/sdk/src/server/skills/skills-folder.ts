/** Skills from disk, on Node: every folder with a `SKILL.md` below a folder of skills. Read once; nothing is watched. */

import { invalidDefinition, PorticoError } from '../../jsonrpc/errors.ts'
import { SKILL_FILE, SKILL_LIMITS } from '../../protocol/skills/skills.ts'
import type { SkillRecord } from './skills.ts'

/**
 * Reads every skill below a folder, once; on Node. Hidden files and links are left out.
 *
 * @example
 * ```ts
 * import { readSkillFolder, skills } from '@portico/sdk/skills'
 * import { createServer } from '@portico/sdk/server'
 *
 * const records = await readSkillFolder('./skills')
 * const server = createServer({ name: 'office', version: '1.0.0', extensions: [skills({ records })] })
 * ```
 */
export async function readSkillFolder(folder: string): Promise<SkillRecord[]> {
  // Taken when used, so that the rest of the door runs where there is no disk.
  const { readdir } = await import('node:fs/promises')
  const records: SkillRecord[] = []
  const visit = async (at: string, steps: readonly string[]): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true })
    if (entries.some((entry) => entry.isFile() && entry.name === SKILL_FILE)) {
      if (steps.length === 0) throw invalidDefinition(`${folder} is a skill, not a folder of skills`)
      records.push({ path: steps.join('/'), files: await readFiles(at) })
      return
    }
    const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    for (const { name } of folders.sort(byName)) await visit(`${at}/${name}`, [...steps, name])
  }
  await visit(folder.replace(/[/\\]+$/, ''), [])
  return records
}

async function readFiles(folder: string): Promise<{ [path: string]: Uint8Array }> {
  const { readdir, readFile, stat } = await import('node:fs/promises')
  const files: { [path: string]: Uint8Array } = {}
  let [count, bytes] = [0, 0]
  const visit = async (prefix: string): Promise<void> => {
    const entries = await readdir(`${folder}/${prefix}`, { withFileTypes: true })
    for (const entry of entries.sort(byName)) {
      // Neither hidden files nor links: what is served is what is plainly there.
      if (entry.name.startsWith('.')) continue
      const path = prefix + entry.name
      if (entry.isDirectory()) await visit(`${path}/`)
      if (!entry.isFile()) continue
      bytes += (await stat(`${folder}/${path}`)).size
      if (++count > SKILL_LIMITS.maxFiles || bytes > SKILL_LIMITS.maxBytes) {
        const most = `${SKILL_LIMITS.maxFiles} files or ${SKILL_LIMITS.maxBytes} bytes`
        throw new PorticoError('limit-exceeded', `The skill in ${folder} has more than ${most}`)
      }
      Object.defineProperty(files, path, { value: await readFile(`${folder}/${path}`), enumerable: true })
    }
  }
  await visit('')
  return files
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}
