/** First byte of a whole text message: FIN and opcode 1 (RFC 6455, section 5.2). */
const FIN_TEXT = 0x81;

/** Encodes texts as unmasked WebSocket messages, one after the other, in one buffer. */
export function encodeTextFrames(texts: readonly string[]): Buffer {
  let size = 0;
  const lengths = texts.map((text) => {
    const length = Buffer.byteLength(text);
    size += length + headerSize(length);
    return length;
  });
  const buffer = Buffer.allocUnsafe(size);
  let offset = 0;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? '';
    const length = lengths[index] ?? 0;
    offset = writeHeader(buffer, offset, length);
    // Most texts are ASCII, and then a plain copy does.
    offset += buffer.write(text, offset, length === text.length ? 'latin1' : 'utf8');
  }
  return buffer;
}

function headerSize(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

function writeHeader(buffer: Buffer, offset: number, length: number): number {
  buffer[offset] = FIN_TEXT;
  if (length < 126) {
    buffer[offset + 1] = length;
    return offset + 2;
  }
  if (length < 65_536) {
    buffer[offset + 1] = 126;
    return buffer.writeUInt16BE(length, offset + 2);
  }
  buffer[offset + 1] = 127;
  return buffer.writeUInt32BE(length, buffer.writeUInt32BE(0, offset + 2));
}
