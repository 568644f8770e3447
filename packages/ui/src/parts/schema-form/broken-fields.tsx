/** Fields whose text is no JSON at the moment: what the form holds for them is older, so that it must not be sent. */

import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useRef } from 'react'

const Telling = createContext<(id: string, isBroken: boolean) => void>(() => {})

interface BrokenFieldsProps {
  readonly onBroken?: ((isBroken: boolean) => void) | undefined
  readonly children: ReactNode
}

/** Around the fields of one form. */
export function BrokenFields({ onBroken, children }: BrokenFieldsProps) {
  const broken = useRef(new Set<string>())
  const latest = useRef(onBroken)
  latest.current = onBroken
  const tell = useCallback((id: string, isBroken: boolean) => {
    if (isBroken) broken.current.add(id)
    else broken.current.delete(id)
    latest.current?.(broken.current.size > 0)
  }, [])
  return <Telling.Provider value={tell}>{children}</Telling.Provider>
}

/** Said by a field. */
export function useBrokenField(isBroken: boolean): void {
  const id = useId()
  const tell = useContext(Telling)
  useEffect(() => {
    if (!isBroken) return
    tell(id, true)
    return () => tell(id, false)
  }, [id, isBroken, tell])
}
