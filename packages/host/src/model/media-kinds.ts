/** What a model can take besides text. */

export const MEDIA_KINDS = ['image', 'audio', 'pdf'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]
