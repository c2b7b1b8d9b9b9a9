/** Key presses that trigger a shortcut, and those that do not. */
import t from 'tap'
import { type KeyPress, matchesShortcut } from './shortcut-keys.ts'

const pressOf = (press: Partial<KeyPress>): KeyPress => ({
  key: 'c',
  code: 'KeyC',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  repeat: false,
  defaultPrevented: false,
  isTyping: false,
  isDialogOpen: false,
  ...press,
})

const single: [name: string, press: Partial<KeyPress>, matches: boolean][] = [
  ['the key', {}, true],
  ['the key with Shift or Caps Lock', { key: 'C' }, true],
  ['the same place on an Arabic keyboard', { key: 'ؤ' }, true],
  ['another key', { key: 'v', code: 'KeyV' }, false],
  ['copying', { ctrlKey: true }, false],
  ['copying on a Mac', { metaKey: true }, false],
  ['with Alt', { altKey: true }, false],
  ['in a field', { isTyping: true }, false],
  ['in a dialog', { isDialogOpen: true }, false],
  ['while a character is composed', { isComposing: true }, false],
  ['held down', { repeat: true }, false],
  ['used by a control', { defaultPrevented: true }, false],
]

t.test('a single key', async (t) => {
  for (const [name, press, matches] of single) {
    t.equal(matchesShortcut(pressOf(press), { key: 'c' }, true), matches, name)
  }
  t.notOk(matchesShortcut(pressOf({}), { key: 'c' }, false), 'switched off')
})

t.test('a key with Ctrl or Command also acts in fields, and cannot be switched off', async (t) => {
  const keys = { key: 'k', withControl: true }
  const press = { key: 'k', code: 'KeyK' }
  t.ok(matchesShortcut(pressOf({ ...press, ctrlKey: true }), keys, false))
  t.ok(matchesShortcut(pressOf({ ...press, metaKey: true, isTyping: true }), keys, false))
  t.notOk(matchesShortcut(pressOf(press), keys, true))
  t.notOk(matchesShortcut(pressOf({ ...press, ctrlKey: true, isDialogOpen: true }), keys, true))
})
