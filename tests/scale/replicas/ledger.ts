/** The file in which everything that was done is noted, whoever did it, and the folder that it is in. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class Ledger {
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-replicas-'))
  readonly file = join(this.folder, 'ledger')

  constructor() {
    writeFileSync(this.file, '')
  }

  /** How often each word was noted. */
  read(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const word of readFileSync(this.file, 'utf8').split('\n')) {
      if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    return counts
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
