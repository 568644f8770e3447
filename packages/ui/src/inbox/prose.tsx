/** A server's message as plain words; a very long one by pages. */

import { PagedText } from '../parts/paged-text.tsx'

export function Prose({ text, label = 'Message' }: { readonly text: string; readonly label?: string }) {
  return <PagedText text={text} label={label} prose />
}
