/** SHA-256 of a text's UTF-8 form, written in a fixed number of ASCII characters. Lone surrogates count as U+FFFD. */
export type Digest = (text: string) => string;
