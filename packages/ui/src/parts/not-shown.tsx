/** How much of a question is on pages that nobody opened yet, gathered from whatever shows its parts. */

import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react'

interface NotShown {
  readonly label: string
  readonly characters: number
}

interface Gathering {
  readonly parts: readonly NotShown[]
  readonly tell: (id: string, part: NotShown | undefined) => void
}

const Gathered = createContext<Gathering>({ parts: [], tell: () => {} })

/** Around everything that belongs to one question. */
export function GatherNotShown({ children }: { readonly children: ReactNode }) {
  const [parts, setParts] = useState<ReadonlyMap<string, NotShown>>(new Map())
  const tell = useCallback((id: string, part: NotShown | undefined) => {
    setParts((before) => {
      const next = new Map(before)
      if (part === undefined) next.delete(id)
      else next.set(id, part)
      return next
    })
  }, [])
  const gathering = useMemo(() => ({ parts: [...parts.values()], tell }), [parts, tell])
  return <Gathered.Provider value={gathering}>{children}</Gathered.Provider>
}

/** Said by a part that has pages. */
export function useNotShown(label: string, characters: number): void {
  const id = useId()
  const { tell } = useContext(Gathered)
  useEffect(() => {
    if (characters === 0) return
    tell(id, { label, characters })
    return () => tell(id, undefined)
  }, [id, label, characters, tell])
}

/** Read where the answer is given. */
export function usePartsNotShown(): readonly NotShown[] {
  return useContext(Gathered).parts
}
