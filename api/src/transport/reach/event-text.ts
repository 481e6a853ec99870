const texts = new WeakMap<object, string>();

/** An event of a stream as JSON, printed once for all who get the same. */
export function eventText(event: object): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = JSON.stringify(event);
    texts.set(event, text);
  }
  return text;
}
