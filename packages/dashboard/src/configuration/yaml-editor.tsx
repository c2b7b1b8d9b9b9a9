/**
 * Editor of a YAML document. CodeMirror is in a shadow root, where it adopts constructed style
 * sheets; in the document it would insert style elements, which the policy blocks.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import classes from './configuration.module.css'
import type { DocumentProblem } from './problems.ts'

export interface YamlEditorHandle {
  /** Moves the cursor to the problem. */
  show(problem: DocumentProblem): void
}

interface YamlEditorProps {
  ref?: Ref<YamlEditorHandle>
  label: string
  value: string
  problems: readonly DocumentProblem[]
  isReadOnly: boolean
  onChange(value: string): void
}

export const YamlEditor = (props: YamlEditorProps) => {
  const { ref, label, value, problems, isReadOnly, onChange } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const initialValue = useRef(value)
  const settings = useRef(new Compartment())
  useEffect(() => {
    if (host.current === null) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const state = EditorState.create({
      doc: initialValue.current,
      extensions: [extensions, settings.current.of([])],
    })
    const editor = new EditorView({ state, parent: root as unknown as Element, root })
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    const own = settingsOf({ label, isReadOnly, onChange })
    view.current?.dispatch({ effects: settings.current.reconfigure(own) })
  }, [label, isReadOnly, onChange])
  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const editor = view.current
    editor?.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)))
  }, [problems])
  useImperativeHandle(ref, () => ({
    show(problem) {
      const editor = view.current
      if (editor === null) return
      const { from } = rangeOf(editor.state.doc, problem)
      const effects = EditorView.scrollIntoView(from, { y: 'center' })
      editor.dispatch({ selection: { anchor: from }, effects })
      editor.focus()
    },
  }))
  return <div ref={host} className={classes.editor} dir="ltr" />
}

/** Start and end of the rest of the line of a problem; the text may have changed since. */
const rangeOf = (document: Text, { line, column }: DocumentProblem) => {
  const found = document.line(Math.min(Math.max(line, 1), document.lines))
  return { from: Math.min(found.from + Math.max(column - 1, 0), found.to), to: found.to }
}

const diagnosticsOf = (document: Text, problems: readonly DocumentProblem[]) =>
  problems
    .map((problem) => ({
      ...rangeOf(document, problem),
      severity: problem.isWarning ? ('warning' as const) : ('error' as const),
      message: problem.message,
    }))
    .sort((one, other) => one.from - other.from)

const settingsOf = ({
  label,
  isReadOnly,
  onChange,
}: Pick<YamlEditorProps, 'label' | 'isReadOnly' | 'onChange'>): Extension => [
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-readonly': String(isReadOnly),
    tabindex: '0',
  }),
  EditorState.readOnly.of(isReadOnly),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onChange(state.doc.toString())
  }),
]

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { padding: '0.6rem 0', caretColor: 'var(--ink)' },
  '.cm-gutters': {
    border: '0',
    borderRight: '1px solid var(--line)',
    backgroundColor: 'var(--ground)',
    color: 'var(--quiet)',
  },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--ink)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--down)',
    textUnderlineOffset: '0.25em',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--slow)',
    textUnderlineOffset: '0.25em',
  },
  '.cm-lint-marker': { width: '0.6em', height: '0.6em', marginTop: '0.45em', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--down)' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--slow)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    fontFamily: 'var(--font)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--down)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--slow)' },
})

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.labelName, tags.typeName, tags.meta], color: 'var(--quiet)' },
])

/** Tab leaves the editor, so that the keyboard is not trapped. */
const extensions: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  lintGutter(),
  history(),
  yaml(),
  syntaxHighlighting(highlighting),
  EditorView.lineWrapping,
  theme,
  keymap.of([
    { key: 'F8', run: nextDiagnostic },
    { key: 'Shift-F8', run: previousDiagnostic },
    ...historyKeymap,
    ...defaultKeymap,
  ]),
]
