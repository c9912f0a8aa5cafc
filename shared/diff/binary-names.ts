/** Extensions of binary formats. The content of a file is checked first; the name decides only if the content is ambiguous. */
const BINARY_EXTENSIONS: ReadonlySet<string> = new Set(
  [
    'png jpg jpeg jpe gif webp avif heic heif ico icns bmp tif tiff psd xcf ai eps raw dds tga exr hdr',
    'mp3 mp4 m4a m4v wav flac ogg oga ogv opus aac wma avi mov mkv webm wmv flv mpg mpeg mid midi',
    'pdf doc docx xls xlsx ppt pptx odt ods odp epub mobi',
    'woff woff2 ttf otf eot ttc',
    'zip gz tgz bz2 tbz xz txz zst lz4 lzma 7z rar tar jar war ear aar apk ipa deb rpm dmg iso img cab msi nupkg whl egg gem crate',
    'exe dll so dylib a lib o obj ko sys elf class dex pyc pyo wasm beam node pdb',
    'db sqlite sqlite3 mdb accdb dat bin pack idx npy npz pkl pickle parquet arrow avro orc feather h5 hdf5 onnx pt pth ckpt safetensors tflite pb gguf model',
    'glb fbx blend 3ds stl usdz mo gmo swf keystore jks p12 pfx der bcmap lockb snap ldb',
  ].flatMap((line) => line.split(' ')),
);

const MEDIA_EXTENSIONS: ReadonlySet<string> = new Set(
  'png jpg jpeg jpe gif webp avif heic heif ico icns bmp tif tiff psd mp3 mp4 m4a m4v wav flac ogg oga ogv opus aac avi mov mkv webm pdf woff woff2 ttf otf eot'.split(
    ' ',
  ),
);

export const extensionOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
};

export const hasBinaryName = (path: string): boolean => BINARY_EXTENSIONS.has(extensionOf(path));

export const hasMediaName = (path: string): boolean => MEDIA_EXTENSIONS.has(extensionOf(path));
