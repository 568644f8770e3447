/** The rules as they are and as they are being changed; nothing holds until it is saved. */

import type { PolicyFinding, ShadowResult } from 'portico/web-api'
import { useState } from 'react'
import type { ApiError } from '../app/data/api.ts'
import { showDone, useAction, useApi } from '../app/data/use-api.ts'
import type { RuleJson } from './rule-model.ts'

export interface Draft {
  /** Undefined until they were loaded. */
  readonly rules: readonly RuleJson[] | undefined
  readonly dirty: boolean
  /** Another one once the changes are gone: discarded, or saved. */
  readonly turn: number
  readonly findings: readonly PolicyFinding[]
  readonly shadow: readonly ShadowResult[]
  readonly error: ApiError | undefined
  readonly saving: boolean
  readonly change: (rules: readonly RuleJson[]) => void
  readonly discard: () => void
  readonly save: () => Promise<void>
  readonly reload: () => void
}

export function useDraft(): Draft {
  const { data, error, reload } = useApi('policy.get', {})
  const [changed, setChanged] = useState<readonly RuleJson[]>()
  const [refusal, setRefusal] = useState<ApiError>()
  const { run, busy } = useAction('policy.set', setRefusal)
  const [turn, setTurn] = useState(0)
  const discard = () => {
    setTurn((before) => before + 1)
    setChanged(undefined)
    setRefusal(undefined)
  }
  const save = async () => {
    if (changed === undefined) return
    const saved = await run({ rules: changed })
    if (saved === undefined) return
    showDone('Rules saved', 'They apply from now on.')
    discard()
    reload()
  }
  return {
    rules: changed ?? data?.rules,
    dirty: changed !== undefined,
    turn,
    findings: data?.findings ?? [],
    shadow: data?.shadow ?? [],
    error: refusal ?? error,
    saving: busy,
    change: setChanged,
    discard,
    save,
    reload,
  }
}
