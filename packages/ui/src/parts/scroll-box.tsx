/** A box that scrolls by itself; it has a name and can be reached by keyboard, as such boxes must. */

import type { ReactNode } from 'react'

interface ScrollBoxProps {
  readonly label: string
  readonly className: string | undefined
  readonly children: ReactNode
}

export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a section would be a landmark
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div className={className} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
