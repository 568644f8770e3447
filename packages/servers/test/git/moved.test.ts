/** What was agreed to is what is done: somebody else changes the repository while the question is open. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ERAS, git, makeRepository, Opened, refusal } from './fixture.ts'

const opened = new Opened()
let repo: string

beforeEach(async () => {
  repo = await opened.folder()
  await makeRepository(repo)
})
afterEach(() => opened.close())

/** A client whose user agrees to the first question, after `meanwhile`, and to none after it. */
function agreeing(version: (typeof ERAS)[number], meanwhile: () => Promise<void> | void) {
  const asked = new Set<string>()
  const elicit = async ({ message }: { readonly message: string }) => {
    asked.add(message)
    if (asked.size > 1) return { action: 'decline' as const }
    await meanwhile()
    return { action: 'accept' as const, content: { confirm: true } }
  }
  return opened.client({ repositories: [repo], write: true }, { version, answers: { elicit } })
}

/** Within one call it is seen when its turn has come; a call that is made anew with the answer asks another question. */
const MOVED = /changed meanwhile|did not agree/

const write = (text: string) => writeFile(join(repo, 'a.txt'), text)

async function stash(text: string): Promise<void> {
  await write(text)
  git(repo, 'stash', 'push', '--quiet')
}

describe.each(ERAS)('sec-770, %s: while the question is open', (version) => {
  it('another stash takes the number: neither is brought back', async () => {
    await stash('agreed\n')
    const client = await agreeing(version, () => stash('other\n'))
    expect(await refusal(client, 'stash_pop')).toMatch(MOVED)
    expect(git(repo, 'stash', 'list').trim().split('\n')).toHaveLength(2)
    expect(git(repo, 'status', '--porcelain')).toBe('')
  })

  it('the file to be restored is written again: that stays', async () => {
    await write('agreed\n')
    const client = await agreeing(version, () => write('more work\n'))
    expect(await refusal(client, 'restore', { paths: ['a.txt'] })).toMatch(MOVED)
    expect(git(repo, 'diff')).toContain('+more work')
  })

  it('another branch is checked out: nothing is merged into that', async () => {
    git(repo, 'branch', 'third')
    const client = await agreeing(version, () => void git(repo, 'switch', '--quiet', 'third'))
    expect(await refusal(client, 'merge', { revision: 'other' })).toMatch(MOVED)
    expect(git(repo, 'rev-parse', 'third')).toBe(git(repo, 'rev-parse', 'main'))
  })

  it('the branch to switch to is another: it is not switched to', async () => {
    await write('one\n2\nthree\nunfinished\n')
    git(repo, 'branch', 'third')
    const client = await agreeing(version, () => void git(repo, 'branch', '--force', 'third', 'HEAD~1'))
    expect(await refusal(client, 'switch_branch', { name: 'third' })).toMatch(MOVED)
    expect(git(repo, 'branch', '--show-current').trim()).toBe('main')
  })
})
