// Replaces the live part of the page when the server sends another one. Without this script the page loads again.
const part = document.getElementById('live');
if (part !== null) {
  const events = new EventSource('/live');
  events.addEventListener('message', ({ data }) => {
    // The server escapes every value in it. Nothing is replaced while somebody is using a link of it.
    if (!part.contains(document.activeElement)) part.innerHTML = JSON.parse(data);
  });
  addEventListener('pagehide', () => events.close());
  // A browser does not open a stream again that was refused, such as one of a login that has ended.
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  });
}
