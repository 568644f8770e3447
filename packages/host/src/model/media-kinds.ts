/** What a model can take besides text. */

/** What a model may be able to take besides text. */
export const MEDIA_KINDS = ['image', 'audio', 'pdf'] as const
/** One of `MEDIA_KINDS`. */
export type MediaKind = (typeof MEDIA_KINDS)[number]
