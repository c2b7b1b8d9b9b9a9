/** Keyboard shortcuts of the present view. */
import { useEffect, useSyncExternalStore } from 'react'
import { readSetting, writeSetting } from '../app/settings.ts'
import { type KeyPress, matchesShortcut, type ShortcutKeys } from './shortcut-keys.ts'

interface Shortcut extends ShortcutKeys {
  onPress(): void
}

const SETTING = 'single-keys'
const OFF = 'off'
const listeners = new Set<() => void>()

const areSingleKeysOn = (): boolean => readSetting(SETTING) !== OFF

export const setSingleKeys = (isOn: boolean): void => {
  writeSetting(SETTING, isOn ? null : OFF)
  for (const listener of listeners) listener()
}

export const useSingleKeys = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, areSingleKeysOn)

export const useShortcuts = (shortcuts: readonly Shortcut[]): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const press = keyPressOf(event)
      const found = shortcuts.find((one) => matchesShortcut(press, one, areSingleKeysOn()))
      if (found === undefined) return
      event.preventDefault()
      found.onPress()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [shortcuts])
}

/** Fields of text, and lists and choices in which typing selects an entry. */
const TYPING =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], ' +
  '[role=listbox], [role=menu], [role=grid]:not(table), [role=tree], [aria-haspopup=listbox]'

/** The path of the event includes the shadow root of an editor; its target is only the host. */
const isTyping = (event: KeyboardEvent): boolean => {
  const [target] = event.composedPath()
  return target instanceof Element && target.closest(TYPING) !== null
}

const keyPressOf = (event: KeyboardEvent): KeyPress => ({
  key: event.key,
  code: event.code,
  ctrlKey: event.ctrlKey,
  metaKey: event.metaKey,
  altKey: event.altKey,
  isComposing: event.isComposing,
  repeat: event.repeat,
  defaultPrevented: event.defaultPrevented,
  isTyping: isTyping(event),
  isDialogOpen: document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null,
})
