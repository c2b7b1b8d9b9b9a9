/** Approximate width of text, for images that cannot use the reader's fonts. Pure. */

/** Font size of the measured widths (11 px Verdana). */
const MEASURED_SIZE = 11
const WIDTHS: readonly [RegExp, number][] = [
  [/\p{M}/u, 0],
  [/[ijl|.,:;'!]/u, 4],
  [/[ fIrt()[\]{}/\\"-]/u, 5],
  [/[mwMW%@]/u, 10.5],
  [/[A-Z#&+<=>_~]/u, 7.6],
  [/[\u0020-\u024f]/u, 6.8],
  [/[\u0370-\u1fff]/u, 7.4],
]
const WIDEST = 11.5

/** Returns the width of the text in the unit of `size`. */
export const textWidth = (text: string, size: number): number =>
  [...text].reduce(
    (sum, character) => sum + (WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? WIDEST),
    0,
  ) *
  (size / MEASURED_SIZE)
