/** English texts of controls of the kit. */
export const kit = {
  editor: {
    preview: 'Preview',
    marks: {
      bold: 'bold',
      italic: 'italic',
      code: 'code',
      others: 'lists, quotes and links',
    },
  },
  copy: {
    copy: 'Copy',
    copied: 'Copied',
    failed: 'The text was not copied. Select it and copy it yourself.',
  },
  dialogs: { cancel: 'Cancel' },
  choices: {
    search: 'Search the options',
    none: 'No option matches',
    more: 'More options exist. Search for them.',
  },
  /** Punctuation between texts that are joined. */
  joins: {
    labelled: '{label}: {value}',
    separator: ', ',
    arrow: '→',
  },
}
