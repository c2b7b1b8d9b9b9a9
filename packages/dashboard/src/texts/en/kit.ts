/** English texts of controls of the kit. */
export const kit = {
  editor: {
    preview: 'Preview',
    marks: 'Markdown: **bold**, *italic*, `code`, lists, quotes and links',
  },
}
