/**
 * Keyboard shortcuts: single keys act outside of fields, menus and dialogs only, and not when the
 * user has switched them off (WCAG 2.1.4).
 */

export interface ShortcutKeys {
  /** Lower-case key as the keyboard reports it. */
  key: string
  /** With Ctrl, or with Command on a Mac; acts in fields too. */
  withControl?: boolean
}

/** Event and place of a key press. */
export interface KeyPress {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  isComposing: boolean
  repeat: boolean
  defaultPrevented: boolean
  /** Whether the focus is in a field, or in a list that is searched by typing. */
  isTyping: boolean
  isDialogOpen: boolean
}

export const matchesShortcut = (
  press: KeyPress,
  { key, withControl = false }: ShortcutKeys,
  areSingleKeysOn: boolean,
): boolean => {
  if (press.isComposing || press.repeat || press.altKey || press.defaultPrevented) return false
  if (press.isDialogOpen || letterOf(press) !== key) return false
  const isControl = press.ctrlKey || press.metaKey
  return withControl ? isControl : !isControl && !press.isTyping && areSingleKeysOn
}

/** Keyboards of other scripts report a letter of theirs; the key has the place of a Latin one. */
const letterOf = ({ key, code }: KeyPress): string => {
  const isLatin = key.length !== 1 || key.charCodeAt(0) < 0x80
  return isLatin ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase()
}
